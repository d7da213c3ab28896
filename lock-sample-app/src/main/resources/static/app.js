// The page asks its own instance only; that one sees the locks and the database of all.
import { showInstances } from "./instances.js";
import { showJobs } from "./jobs.js";
import { showLocks } from "./locks.js";
import { showSales } from "./sales.js";

showInstances();
showSales();
showLocks();
showJobs();

// The page asks one instance, its own for as long as that answers; that one sees the locks and the database of all.
import { showInstances } from "./instances.js";
import { showJobs } from "./jobs.js";
import { showLocks } from "./locks.js";
import { showPayments } from "./payments.js";
import { showSales } from "./sales.js";
import { showWaits } from "./waits.js";
import { showZombie } from "./zombie.js";

showInstances();
showPayments();
showZombie();
showSales();
showWaits();
showLocks();
showJobs();

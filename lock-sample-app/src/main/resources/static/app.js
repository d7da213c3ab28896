// The page asks one instance, its own for as long as that answers; that one sees the locks and the database of all.
import { showInstances } from "./instances.js";
import { showJobs } from "./jobs.js";
import { showParcels } from "./parcels.js";
import { showPause } from "./pause.js";
import { showPayments } from "./payments.js";
import { showPrices } from "./prices.js";
import { showSales } from "./sales.js";
import { showWaits } from "./waits.js";

showInstances();
showPayments();
showPause();
showSales();
showParcels();
showPrices();
showWaits();
showJobs();

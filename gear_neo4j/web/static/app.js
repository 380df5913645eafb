/** The start of the page: loads the recipes and rights, and builds each tab. */

import { call } from "./api.js";
import { mountAsk } from "./ask.js";
import { mountCompare } from "./compare.js";
import { mountDocuments } from "./documents.js";
import { put } from "./dom.js";
import { mountExplore } from "./explore.js";
import { mountHealth } from "./health.js";
import { askForKey, returnFromSignIn, storedKey } from "./key.js";
import { showFailure, showWait } from "./notices.js";
import { openPassage } from "./passage.js";
import { followAddress, offerTabs } from "./tabs.js";
import { counted, line } from "./text.js";

const startNotice = document.getElementById("start");
const panel = name => document.getElementById(`panel-${name}`);

async function start() {
  showWait(startNotice, "Connecting…");
  try {
    const [recipes, rights] = await Promise.all([call("/api/recipes"), call("/api/caller"), describe()]);
    put(startNotice);
    offerSignOut(rights);
    const tabs = {
      ask: mountAsk(panel("ask"), recipes),
      compare: mountCompare(panel("compare"), recipes),
      explore: mountExplore(panel("explore")),
      documents: mountDocuments(panel("documents"), rights, { onChange: () => describe().catch(() => {}) }),
      health: mountHealth(panel("health")),
    };
    followAddress(tabs, { passage: parameters => openPassage(parameters.get("id") ?? "") });
  } catch (error) {
    showFailure(startNotice, error, start);
  }
}

async function describe() {
  const status = await call("/api/status");
  const counts = [
    counted(status.passages, "passage"),
    counted(status.entities, "entity", "entities"),
    counted(status.triples, "fact"),
  ];
  document.getElementById("database").textContent = `${line(status.database, 60)}: ${counts.join(", ")}`;
}

/** Say who has signed in, and let them sign out; the provider may have a page of its own for that. */
function offerSignOut(rights) {
  const button = document.getElementById("sign-out");
  button.hidden = !rights.signed_in || Boolean(storedKey());
  button.title = line(rights.name, 100);
  button.addEventListener("click", async () => {
    const { url } = await call("/sign-out", { method: "POST" });
    location.assign(url);
  });
}

returnFromSignIn();
offerTabs(["ask", "compare", "explore", "documents", "health"]);
const control = document.getElementById("key-button");
control.hidden = !storedKey();
control.addEventListener("click", async () => {
  // The content on the page was loaded with the earlier key.
  if (await askForKey("Enter another key to change your access.")) location.reload();
});
start();

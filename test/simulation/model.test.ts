import { storeConformance } from "../store/conformance.ts";
import { createDatabase } from "./model/database.ts";
import { openModel } from "./model.ts";

storeConformance("the model", async () => {
  const db = createDatabase();
  return { open: async (projector) => openModel(db, projector), remove: async () => {} };
});

import { accept, reject } from "../../src/domain/decision.ts";
import { isIn, type ProjectState } from "../../src/domain/project.ts";

/** Removes a project with all of its applications, which the command has as a group. */
export function removeProject(
  { project }: { readonly project: ProjectState | undefined },
  { organization }: { readonly organization: string },
) {
  if (!isIn(project, organization)) return reject("PROJECT_NOT_FOUND");
  return accept({
    project: [{ type: "project.removed", payload: {} }],
    apps: [{ type: "project.application.removed", payload: {} }],
  });
}

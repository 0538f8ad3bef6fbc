import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { row, runCases } from "../harness/cases.ts";

const { addAPIApp } = ManagementService.method;

runCases("AddAPIApp", [
  row("creates an application with a secret", addAPIApp, ({ project, unique, server }) => ({
    request: { projectId: project, name: unique },
    expected: {
      ok(message, events) {
        expect(events.map(({ type }) => type)).toEqual([
          "project.application.added",
          "project.application.config.api.added",
        ]);
        expect(message.details?.sequence).toBe(events[1]?.position);
        expect(message.details?.resourceOwner).toBe(server.admin.organization);
        expect(message.clientSecret).toMatch(/^[\w-]{43}$/);
      },
    },
  })),
  row("refuses an empty name", addAPIApp, ({ project }) => ({
    request: { projectId: project, name: "" },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["name"] },
  })),
]);

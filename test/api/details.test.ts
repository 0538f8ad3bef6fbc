import { toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { ObjectDetailsSchema } from "../../gen/iam/v1/object_pb.js";
import { changedDetails, createdDetails } from "../../src/api/details.ts";

describe("details", () => {
  const written = { owner: "org-1", createdMs: 1_600_000_000_001, changedMs: 1_700_000_000_123 };

  test("of a creation have the time of its events twice", () => {
    const details = createdDetails({ ...written, position: 7n });
    expect(toJson(ObjectDetailsSchema, details)).toEqual({
      sequence: "7",
      creationDate: "2023-11-14T22:13:20.123Z",
      changeDate: "2023-11-14T22:13:20.123Z",
      resourceOwner: "org-1",
    });
  });

  test("of a change have the time of the first event too", () => {
    const details = changedDetails({ ...written, position: 8n });
    expect(toJson(ObjectDetailsSchema, details)).toEqual({
      sequence: "8",
      creationDate: "2020-09-13T12:26:40.001Z",
      changeDate: "2023-11-14T22:13:20.123Z",
      resourceOwner: "org-1",
    });
  });

  test.each([2n ** 53n + 1n, 2n ** 63n - 1n])("do not round the position %s", (position) => {
    const { sequence } = createdDetails({ ...written, position });
    expect(sequence).toBe(position);
    const json = toJson(ObjectDetailsSchema, createdDetails({ ...written, position }));
    expect(json).toMatchObject({ sequence: `${position}` });
  });

  test.each([0, 1, 999, -1])("tell the millisecond %d", (changedMs) => {
    const details = createdDetails({ ...written, changedMs, position: 1n });
    const { changeDate } = toJson(ObjectDetailsSchema, details) as { readonly changeDate: string };
    expect(new Date(changeDate).getTime()).toBe(changedMs);
  });
});

import { expect, test } from "@jest/globals";
import { createPaths, type PathShape } from "../../../src/gateway/call/paths.ts";

const shapes: readonly PathShape[] = [
  { verb: "GET", path: "/users/:id" },
  { verb: "DELETE", path: "/users/:userId" },
  { verb: "POST", path: "/users/human" },
  { verb: "GET", path: "/users/:id/phone" },
  { verb: "PUT", path: "/users/:id/roles/*key" },
  { verb: "POST", path: "/users/:id/roles/_search" },
];
const paths = createPaths(shapes.map((shape) => [shape, `${shape.verb} ${shape.path}`]));

test.each([
  ["GET", "/users/7", "GET /users/:id", { id: "7" }],
  ["DELETE", "/users/7", "DELETE /users/:userId", { userId: "7" }],
  ["POST", "/users/human", "POST /users/human", {}],
  ["GET", "/users/human/phone", "GET /users/:id/phone", { id: "human" }],
  ["GET", "/users/a%2Fb%20c", "GET /users/:id", { id: "a/b c" }],
  ["GET", "/%75sers/7", "GET /users/:id", { id: "7" }],
  ["GET", "/users//phone", "GET /users/:id/phone", { id: "" }],
  ["PUT", "/users/7/roles/a", "PUT /users/:id/roles/*key", { id: "7", key: "a" }],
  ["PUT", "/users/7/roles/a/b%2Fc/", "PUT /users/:id/roles/*key", { id: "7", key: "a/b/c/" }],
  ["PUT", "/users/7/roles/a/_search", "PUT /users/:id/roles/*key", { id: "7", key: "a/_search" }],
  ["PUT", "/users/7/roles/", "PUT /users/:id/roles/*key", { id: "7", key: "" }],
  ["POST", "/users/7/roles/_search", "POST /users/:id/roles/_search", { id: "7" }],
  ["GET", "/users/__proto__", "GET /users/:id", { id: "__proto__" }],
])("%s %s is %s", (verb, path, target, pathFields) => {
  expect(paths.find(verb, path)).toEqual({ target, pathFields });
});

test.each([
  ["GET", "/"],
  ["GET", "/users"],
  ["GET", "//users/7"],
  ["GET", "/users/7/"],
  ["GET", "/Users/7"],
  ["PUT", "/users/7"],
  ["GET", "/users/human"],
  ["PUT", "/users/7/roles"],
  ["PUT", "/users/7/roles/_search"],
])("%s %s is nothing", (verb, path) => {
  expect(paths.find(verb, path)).toBeUndefined();
});

test("says which verbs a path answers", () => {
  expect(paths.verbsAt("/users/7")).toEqual(["GET", "DELETE"]);
  expect(paths.verbsAt("/users/human")).toEqual(["POST"]);
  expect(paths.verbsAt("/users")).toEqual([]);
});

test("reads no path that cannot be decoded", () => {
  expect(() => paths.find("GET", "/users/%ff")).toThrow(URIError);
});

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  predefined,
  file_buf_validate_validate as validate,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { sourceOf } from "./source.ts";

const packages = join(import.meta.dirname, "../node_modules");

/** Where the official files of others are published, by their path below `proto/`. */
const published = {
  "google/api/annotations.proto": "google-proto-files/google/api/annotations.proto",
  "google/api/http.proto": "google-proto-files/google/api/http.proto",
  "google/rpc/error_details.proto": "google-proto-files/google/rpc/error_details.proto",
  "google/rpc/status.proto": "google-proto-files/google/rpc/status.proto",
  "grpc/health/v1/health.proto": "grpc-health-check/proto/health/v1/health.proto",
  "grpc/reflection/v1/reflection.proto":
    "@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto",
  "grpc/reflection/v1alpha/reflection.proto":
    "@grpc/reflection/build/proto/grpc/reflection/v1alpha/reflection.proto",
} as const;

/** The files of others that are published, by their names. */
export const thirdParty: readonly string[] = Object.keys(published);

/**
 * Writes the official files of others below a directory of .proto files, byte for byte as they are
 * published: clients that have them already must meet no other file of the same name. Of
 * `buf/validate` the descriptor alone is published.
 */
export function writeThirdParty(directory: string): void {
  for (const [path, source] of Object.entries(published)) {
    write(join(directory, path), readFileSync(join(packages, source), "utf8"));
  }
  const header = `// Copyright 2023-2026 Buf Technologies, Inc. Apache License, Version 2.0.
// Made from the descriptor in @bufbuild/protovalidate, which has no comments; with them it is at
// https://github.com/bufbuild/protovalidate

`;
  const path = join(directory, validate.proto.name);
  write(path, header + sourceOf(validate, [predefined]));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

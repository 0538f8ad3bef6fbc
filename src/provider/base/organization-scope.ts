/** What scopes that name an organization begin with, whatever they name. */
export const organizationPrefix = "urn:iam:org:id:";

const form = /^urn:iam:org:id:([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** The id of the organization that scopes name, of several the last; there may be no such. */
export function organizationIn(scope: string | undefined): string | undefined {
  const [named] = organizationScopesIn(scope);
  return named === undefined ? undefined : form.exec(named)?.[1];
}

const providerForm = /^urn:iam:org:idp:id:([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** The id of the identity provider that scopes name, of several the last; there may be no such. */
export function providerIn(scope: string | undefined): string | undefined {
  const [named] = providerScopesIn(scope);
  return named === undefined ? undefined : providerForm.exec(named)?.[1];
}

/** The scope that does: of several, the last. */
export function providerScopesIn(scope: string | undefined): readonly string[] {
  return (scope ?? "").split(" ").filter(isOfProvider).slice(-1);
}

/** Whether a scope names an identity provider. */
export function isOfProvider(scope: string): boolean {
  return providerForm.test(scope);
}

/** The scope that does: of several, the last. */
export function organizationScopesIn(scope: string | undefined): readonly string[] {
  return (scope ?? "").split(" ").filter(isOfOrganization).slice(-1);
}

/** Whether a scope names an organization. */
export function isOfOrganization(scope: string): boolean {
  return form.test(scope);
}

import { v7 } from "uuid";
import { user } from "../../src/domain/user/state/user.ts";
import { type Given, record } from "./given.ts";

/** A person whose address is verified, and who is linked to an account: the token has its ids. */
export const aLinkedPerson: Given = async ({ server, givenPerson }, { organization }) => {
  const { userId: id } = await givenPerson(organization);
  const token = v7();
  const account = { idpId: token, externalUserId: token, displayName: "" };
  await record(server, { noun: user, id }, [
    { type: "user.human.email.verified", payload: {} },
    { type: "user.human.externalidp.added", payload: account },
  ]);
  return { user: id, token };
};

import { aliasFaults } from "./alias.ts";
import { changingFaults, changingParts } from "./changing.ts";
import { externalFaults, externalParts } from "./external.ts";
import { groupFaults } from "./groups.ts";
import { linkFaults } from "./links.ts";
import { memberFaults } from "./members.ts";
import { providerFaults, providerParts } from "./providers.ts";
import { roleFaults } from "./roles.ts";
import { watchFaults, watchWaiting } from "./watch.ts";

/** The lists on who may do what: see `lists`. */
export const accessLists = {
  alias: {
    faults: aliasFaults,
    parts: [["test/alias\\.", "test/gateway/alias"], ["test/provider/alias\\."]],
  },
  watch: {
    faults: watchFaults,
    parts: [["test/api/watch-large\\."], ["test/api/watch"]],
    waiting: watchWaiting,
  },
  members: {
    faults: memberFaults,
    parts: [["/user/(?:state/held|mem|upd)", "cases/member(?:-list|ship)\\."], ["/own-access\\."]],
  },
  external: { faults: externalFaults, parts: externalParts },
  changing: { faults: changingFaults, parts: changingParts },
  providers: { faults: providerFaults, parts: providerParts },
  roles: {
    faults: roleFaults,
    parts: [
      ["test/domain/(?:project-)?(?:grant|role)\\.", "test/domain/access\\."],
      ["test/cases/project-grant-removal\\.", "test/access/project-grants\\."],
      ["test/provider/role", "test/threats/forged-grant\\."],
    ],
  },
  groups: {
    faults: groupFaults,
    parts: [["test/domain/(?:group|grant)\\."], ["test/provider/groups\\."]],
  },
  links: {
    faults: linkFaults,
    parts: [
      ["user/external-link\\.", "policy/offer\\.", "execute/providers\\."],
      ["test/provider/account-links\\."],
    ],
  },
};

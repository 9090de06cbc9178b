"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from heldtrue.ingest.acts.links import link as link
from heldtrue.ingest.acts.links import unlink as unlink
from heldtrue.ingest.acts.retract import forget as forget
from heldtrue.ingest.acts.retract import reject as reject
from heldtrue.ingest.acts.retract import restore as restore

"""The earlier name of what is in stages/ and acts/ now."""

from __future__ import annotations

from heldtrue.ingest.acts.saved_views import Saved as Saved
from heldtrue.ingest.acts.saved_views import drop_view as drop_view
from heldtrue.ingest.acts.saved_views import save_view as save_view

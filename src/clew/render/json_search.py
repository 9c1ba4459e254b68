"""JSON of a search."""

# mypy: no-extra-checks

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.model.search_results import SearchHit, SearchMatch, SearchResult, Section
from clew.render.json_values import checkpoint_value, path_value, workspace_value
from clew.render.safe import shown_name

if TYPE_CHECKING:
    from clew.render.shapes import history


def found(result: SearchResult) -> history.SearchOutput:
    return {
        "words": list(result.words),
        "matches": [_match_value(match) for match in result.matches],
        "more_count": result.more,
        "searched_checkpoint_count": result.searched,
        "notes": list(result.notes),
    }


def _match_value(match: SearchMatch) -> history.SearchMatch:
    return {
        "checkpoint": checkpoint_value(match.checkpoint),
        "workspace": workspace_value(match.workspace),
        "hits": [_hit_value(hit) for hit in match.hits],
        "more_message_count": match.hidden,
    }


def _hit_value(hit: SearchHit) -> history.SearchHit:
    value: history.SearchHit = {
        "section": hit.section,
        "excerpt": hit.excerpt.text,
        "spans": [list(span) for span in hit.excerpt.spans],
    }
    if hit.section == Section.CONVERSATION:
        value["role"] = hit.role
    if hit.path is not None:
        shown = shown_name(hit.excerpt.text)
        if shown != hit.excerpt.text:
            value |= {"excerpt": shown, "spans": []}
        value |= {**path_value(hit.path), "kind": hit.kind or None, "path_count": hit.paths}
    return value

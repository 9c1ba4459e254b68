"""Object reader: verifies each object against its id and caches decompressed frames."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator

from clew.errors import ObjectCorrupt, ObjectMissing
from clew.model.content import BLOB_LIMIT, Chunk, Zeros, decode_chunklist
from clew.model.ids import ObjectId, object_id
from clew.model.named_tuple import NamedTuple
from clew.store.frame import read_frame, read_payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.store.transport import Transport

_CACHE_BYTES = 24 << 20
_ZERO_PIECE = bytes(1 << 20)


class Location(NamedTuple):
    """The location of one object."""

    kind: int
    pack: str
    frame: int
    position: int
    length: int


Locate = Callable[[ObjectId], Location | None]
LocateMany = Callable[[list[ObjectId]], dict[ObjectId, Location]]


class ObjectReader:
    """Reads objects by id."""

    def __init__(
        self,
        transport: Transport,
        locate: Locate,
        locate_many: LocateMany | None = None,
        report: Callable[[str, int], None] = lambda _, __: None,
    ) -> None:
        """`locate_many` is a batched, faster `locate`.

        `report` is called with the pack and frame of an object that cannot be read.
        """
        self._transport = transport
        self._locate = locate
        self._locate_many = locate_many or self._locate_each
        self._report = report
        self._cache: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._cached_bytes = 0

    def get(self, identifier: ObjectId) -> bytes:
        """Return the verified bytes of an object; raise `ObjectMissing` or `ObjectCorrupt` otherwise."""
        location = self._locate(identifier)
        if location is None:
            raise ObjectMissing(identifier)
        return self._read(identifier, location)

    def get_many(self, identifiers: Iterable[ObjectId]) -> Iterator[tuple[ObjectId, bytes]]:
        """Yield objects in pack order, so that each frame is decompressed once."""
        for location, identifier in self._places(identifiers):
            yield identifier, self._read(identifier, location)

    def in_order(self, identifiers: Iterable[ObjectId]) -> list[ObjectId]:
        """Return ids in pack order, so that they can be distributed in runs."""
        return [identifier for _, identifier in self._places(identifiers)]

    def content(self, identifier: ObjectId, size: int) -> Iterator[bytes]:
        """Yield the bytes of a file in pieces of at most about 1 MiB."""
        if size <= BLOB_LIMIT:
            yield self.get(identifier)
            return
        for token in decode_chunklist(self.get(identifier)):
            if isinstance(token, Chunk):
                yield self.get(token.blob)
            else:
                yield from _zeros(token)

    def forget(self) -> None:
        """Clear the frame cache, after gc moved objects."""
        self._cache.clear()
        self._cached_bytes = 0

    def _places(self, identifiers: Iterable[ObjectId]) -> list[tuple[Location, ObjectId]]:
        wanted = list(dict.fromkeys(identifiers))
        found = self._locate_many(wanted)
        for identifier in wanted:
            if identifier not in found:
                raise ObjectMissing(identifier)
        places = [(location, identifier) for identifier, location in found.items()]
        places.sort(key=lambda item: item[0][1:4])
        return places

    def _locate_each(self, identifiers: list[ObjectId]) -> dict[ObjectId, Location]:
        located = ((identifier, self._locate(identifier)) for identifier in identifiers)
        return {identifier: location for identifier, location in located if location is not None}

    def _read(self, identifier: ObjectId, location: Location) -> bytes:
        try:
            return self._read_verified(identifier, location)
        except ObjectCorrupt:
            self._report(location.pack, location.frame)
            raise

    def _read_verified(self, identifier: ObjectId, location: Location) -> bytes:
        payload = self._payload(location.pack, location.frame)
        content = payload[location.position : location.position + location.length]
        if object_id(location.kind, content) != identifier:
            raise ObjectCorrupt(f"{location.pack} at {location.frame}")
        return content

    def _payload(self, pack: str, offset: int) -> bytes:
        key = (pack, offset)
        payload = self._cache.get(key)
        if payload is not None:
            self._cache.move_to_end(key)
            return payload
        payload = read_payload(self._transport, pack, read_frame(self._transport, pack, offset))
        self._cache[key] = payload
        self._cached_bytes += len(payload)
        while self._cached_bytes > _CACHE_BYTES and len(self._cache) > 1:
            _, evicted = self._cache.popitem(last=False)
            self._cached_bytes -= len(evicted)
        return payload


def _zeros(token: Zeros) -> Iterator[bytes]:
    left = token.length
    while left:
        piece = min(left, len(_ZERO_PIECE))
        yield _ZERO_PIECE[:piece]
        left -= piece

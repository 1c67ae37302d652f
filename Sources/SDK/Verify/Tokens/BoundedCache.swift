internal import Crypto
internal import KeyturnBase

/// Remembers a bounded number of values, each for a limited time; the one not asked for the longest goes first.
///
/// Keys are SHA-256 digests, so that tokens are not kept in memory. Every operation takes the same time however much
/// is remembered.
struct BoundedCache<Value: Sendable>: Sendable {
    typealias Key = SHA256Digest

    private struct Entry: Sendable {
        let key: Key
        let value: Value
        let since: UnixTime
        let until: UnixTime
        var newer: Int
        var older: Int
    }

    /// Marks the end of the list.
    private static var none: Int { -1 }

    private let entriesMax: Int
    private var entries: [Entry] = []
    private var places: [Key: Int] = [:]
    private var newest = Self.none
    private var oldest = Self.none

    init(entriesMax: Int) {
        precondition(entriesMax > 0, "a cache needs room")
        self.entriesMax = entriesMax
    }

    static func key(_ token: UnverifiedToken) -> Key {
        var text = token.compact
        return text.withUTF8 { unsafe SHA256.hash(data: UnsafeRawBufferPointer($0)) }
    }

    var count: Int { entries.count }

    /// The value for `key` if its time is not over. A moment before it was remembered is no time for it either: the
    /// clock was set back.
    mutating func value(for key: Key, at now: UnixTime) -> Value? {
        guard let place = places[key] else { return nil }
        let entry = entries[place]
        guard now < entry.until, entry.since <= now else { return nil }
        if newest != place {
            unlink(place)
            link(place)
        }
        return entry.value
    }

    /// Remembers `value` until the moment `until`, not included.
    mutating func insert(_ value: Value, for key: Key, at now: UnixTime, until: UnixTime) {
        let entry = Entry(key: key, value: value, since: now, until: until, newer: Self.none, older: Self.none)
        let place: Int
        if let known = places[key] {
            place = known
            unlink(place)
            entries[place] = entry
        } else if entries.count < entriesMax {
            place = entries.count
            entries.append(entry)
        } else {
            place = oldest
            places.removeValue(forKey: entries[place].key)
            unlink(place)
            entries[place] = entry
        }
        places[key] = place
        link(place)
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (entries[place].newer, entries[place].older)
        if newer == Self.none { newest = older } else { entries[newer].older = older }
        if older == Self.none { oldest = newer } else { entries[older].newer = newer }
    }

    private mutating func link(_ place: Int) {
        entries[place].newer = Self.none
        entries[place].older = newest
        if newest == Self.none { oldest = place } else { entries[newest].newer = place }
        newest = place
    }
}

internal import Crypto
internal import KeyturnBase

/// How far the takeover of another library's session has come: a record beside the container's own, which outlives it.
/// Without one, no session was taken over here, and no user has signed in or out.
struct TakeoverMark: Hashable, Sendable {
    enum Stage: String, Hashable, Sendable {
        /// Ours is being stored, or waits for its first renewal.
        case taking
        /// Ours is being given up: once it is gone, theirs is removed and not taken over again.
        case removing
        /// Nothing is taken over any more.
        case done
    }

    /// An item that was read, and a digest of what it held.
    struct Source: Hashable, Sendable {
        let item: LegacySessionItem
        let digest: String
    }

    let stage: Stage
    /// A digest of the tokens that were taken over: as long as ours are the same, ours was not renewed.
    var tokens = ""
    var sources: [Source] = []

    static let done = TakeoverMark(stage: .done)

    init(stage: Stage) {
        self.stage = stage
    }

    init(taking record: SessionRecord, from sources: [LegacyTokens.Source]) {
        stage = .taking
        tokens = Self.digest(of: record)
        self.sources = sources.map { Source(item: $0.item, digest: Self.digest($0.data)) }
    }

    /// The same about the same session, one stage on.
    func at(_ stage: Stage) -> TakeoverMark {
        var mark = TakeoverMark(stage: stage)
        (mark.tokens, mark.sources) = (tokens, sources)
        return mark
    }

    /// Whether `record` still has the tokens that were taken over.
    func isUnchanged(_ record: SessionRecord) -> Bool { Self.digest(of: record) == tokens }

    static func digest(_ data: [UInt8]) -> String { Base64URL.encode(Array(SHA256.hash(data: data))) }

    private static func digest(of record: SessionRecord) -> String {
        digest(Array("\(record.accessToken) \(record.refreshToken ?? "")".utf8))
    }
}

extension TakeoverMark {
    private static let version: Int64 = 1

    /// The form for the store.
    var contents: [UInt8] {
        JSONWriter.object(capacity: 512) { writer in
            writer.member("version", Self.version)
            writer.member("stage", stage.rawValue)
            writer.member("tokens", tokens)
            writer.member(
                "sources",
                .array(
                    sources.map { source in
                        var json: [String: JSONValue] = [
                            "account": .string(source.item.account), "digest": .string(source.digest),
                        ]
                        if let service = source.item.service { json["service"] = .string(service) }
                        return .object(json)
                    }))
        }
    }

    /// Reads what ``contents`` wrote. What another release wrote, or is damaged, takes nothing over.
    init(_ contents: [UInt8]) {
        guard let json = try? JSONValue(parsing: contents), json["version"]?.integerValue == Self.version,
            let stage = json["stage"]?.stringValue.flatMap({ Stage(rawValue: $0) }),
            let tokens = json["tokens"]?.stringValue
        else {
            self = .done
            return
        }
        self.stage = stage
        self.tokens = tokens
        sources = (json["sources"]?.arrayValue ?? []).compactMap { source in
            guard let account = source["account"]?.stringValue, let digest = source["digest"]?.stringValue else {
                return nil
            }
            return Source(
                item: LegacySessionItem(service: source["service"]?.stringValue, account: account), digest: digest)
        }
    }
}

internal import Foundation
internal import KeyturnBase
internal import StoreSQL

/// What an encrypted backup says of itself, before the file of the database. It is encrypted like that.
struct BackupManifest: Equatable {
    let madeAt: UnixTime
    /// `sqlite` or `postgresql`.
    let engine: String
    let contents: BackupContents
    /// Length of the database file.
    let byteCount: Int
    /// The server's secrets, the first one seals; none unless they were asked for.
    let secrets: [[UInt8]]

    /// Longest one.
    static let bytesMax = 65_536
    private static let version: Int64 = 1

    init(madeAt: UnixTime, engine: String, contents: BackupContents, byteCount: Int, secrets: [[UInt8]]) {
        (self.madeAt, self.engine, self.contents) = (madeAt, engine, contents)
        (self.byteCount, self.secrets) = (byteCount, secrets)
    }

    /// The same of the database after later changes.
    func replayed(to moment: UnixTime, _ contents: BackupContents) -> BackupManifest {
        BackupManifest(madeAt: moment, engine: engine, contents: contents, byteCount: byteCount, secrets: secrets)
    }

    /// - Returns: `nil` for what this release does not write.
    init?(_ bytes: [UInt8]) {
        let limits = JSONValue.Limits(bytesMax: Self.bytesMax, depthMax: 4, membersMax: 1_000)
        guard let json = try? JSONValue(parsing: bytes, limits: limits), json["version"]?.integerValue == Self.version,
            let madeAt = json["made_at"]?.integerValue, let engine = json["engine"]?.stringValue,
            let schema = json["schema"]?.integerValue, let byteCount = json["bytes"]?.integerValue,
            let tables = json["tables"]?.objectValue, let secrets = json["secrets"]?.stringArrayValue
        else { return nil }
        let counts = tables.compactMapValues { $0.integerValue.map(Int.init) }
        let keys = secrets.compactMap { try? SealingKey($0).bytes }
        guard counts.count == tables.count, keys.count == secrets.count, byteCount > 0 else { return nil }
        self.init(
            madeAt: UnixTime(rawValue: madeAt), engine: engine,
            contents: BackupContents(schema: Int(schema), tables: counts), byteCount: Int(byteCount), secrets: keys)
    }

    var bytes: [UInt8] {
        let json: JSONValue = [
            "version": .integer(Self.version), "made_at": .integer(madeAt.rawValue), "engine": .string(engine),
            "schema": .integer(Int64(contents.schema)), "bytes": .integer(Int64(byteCount)),
            "tables": .object(contents.tables.mapValues { .integer(Int64($0)) }),
            "secrets": .array(secrets.map { .string(Data($0).base64EncodedString()) }),
        ]
        return Array(json.serialized)
    }
}

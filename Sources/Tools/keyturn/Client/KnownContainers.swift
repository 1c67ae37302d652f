internal import Foundation
internal import Keyturn
internal import KeyturnBase

/// The names under which people have signed in here, and where and as whom: so that the next sign-in needs no
/// options, and all of them can be listed. Holds no secret; whether there is a session, only the container knows.
///
/// A lost or damaged file costs a few options to be typed again, so that reading and writing never fail.
struct KnownContainers: Sendable {
    /// The most names that are remembered, and the largest file that is read, in bytes.
    private static let namesMax = 256
    private static let fileBytesMax = 131_072
    /// Characters of a person's name or address.
    private static let nameLengthMax = 128
    /// Words of a sign-in's options.
    private static let wordsMax = 64

    let path: String

    /// What is remembered, by name.
    func read() -> [String: ServiceChoice] {
        guard let data = FileManager.default.contents(atPath: path), data.count <= Self.fileBytesMax,
            let members = (try? JSONValue(parsing: data))?["containers"]?.objectValue
        else { return [:] }
        return members.compactMapValues { entry in
            guard let service = entry["service"]?.stringValue.flatMap(ServiceName.init(rawValue:)),
                let issuer = entry["issuer"]?.stringValue, let clientID = entry["client_id"]?.stringValue
            else { return nil }
            var choice = ServiceChoice(
                service: service, issuer: issuer, clientID: clientID, projectID: entry["project"]?.stringValue)
            choice.caFile = entry["ca_file"]?.stringValue
            choice.how = entry["options"]?.stringArrayValue ?? []
            choice.person = entry["sub"]?.stringValue.map { subject in
                ServiceChoice.Person(subject: subject, name: entry["person"]?.stringValue)
            }
            return choice
        }
    }

    /// Remembers `choice` for the next time.
    func remember(_ choice: ServiceChoice, as name: String) {
        var known = read()
        guard known[name] != choice, known[name] != nil || known.count < Self.namesMax else { return }
        known[name] = choice
        let entries = known.mapValues { choice -> JSONValue in
            var members: [String: JSONValue] = [
                "service": .string(choice.service.rawValue), "issuer": .string(choice.issuer),
                "client_id": .string(choice.clientID),
            ]
            members["project"] = choice.projectID.map { .string($0) }
            members["ca_file"] = choice.caFile.map { .string($0) }
            if !choice.how.isEmpty, choice.how.count <= Self.wordsMax {
                members["options"] = .array(choice.how.map { .string($0) })
            }
            members["sub"] = choice.person.map { .string($0.subject) }
            members["person"] = choice.person?.name.map { .string(String($0.prefix(Self.nameLengthMax))) }
            return .object(members)
        }
        let document: JSONValue = ["containers": .object(entries)]
        let bytes = document.serialized
        // A larger file would not be read, and everything in it forgotten.
        guard bytes.count <= Self.fileBytesMax else { return }
        let folder = (path as NSString).deletingLastPathComponent
        // The containers keep their keys below, and refuse a folder that others may look into.
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try? Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}

extension KnownContainers {
    /// Beside the containers themselves; `nil` without a home. No container's folder has a dot in its name.
    static var live: KnownContainers? {
        SealedFileStore.Locations.environment().map {
            KnownContainers(path: $0.configurationRoot + "/keyturn/known.json")
        }
    }
}

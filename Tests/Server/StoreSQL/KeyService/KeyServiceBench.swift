import Foundation
import KeyturnBase
import KeyturnWire
import StoreSQL
import Synchronization
import Testing
@testable import Account
@testable import Model
@testable import SignIn

/// The key service's rules over the real store, in a file that several servers may open, with a clock that is held and a
/// count of every hash.
final class KeyServiceBench: Sendable {
    let folder: URL
    let file: String
    let secrets: ServerSecrets
    private let moment = Mutex(UnixTime(rawValue: 1_700_000_000))
    private let starts = Mutex(0)
    private let databases = Mutex<[SQLiteDatabase]>([])

    static let parameters = Argon2Parameters(memoryKiB: 64, passes: 1, lanes: 1)
    static let stranger = KeyService.Caller(realm: "", address: NetworkAddress("192.0.2.1"))

    init(secrets: [[UInt8]] = [ServerSecrets.random(.live)]) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("keyturn-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        file = folder.appendingPathComponent("test.db").path
        self.secrets = try #require(ServerSecrets(secrets))
    }

    var ambient: Ambient {
        Ambient(clock: { self.moment.withLock { $0 } }, entropy: { Ambient.live.randomBytes($0) })
    }

    var now: UnixTime { moment.withLock { $0 } }

    func advance(_ seconds: Int64) { moment.withLock { $0 = $0 + seconds } }

    /// Hashes since the last look. Each starts a thread of its own, as long as one key is asked for at a time.
    func hashes() -> Int {
        starts.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    /// One more server on the same file.
    ///
    /// - Parameters:
    ///   - start: what to do with a hash; without it, it is done.
    func server(
        secrets: ServerSecrets? = nil, parameters: Argon2Parameters = parameters,
        settings: KeyServiceSettings = KeyServiceSettings(), threads: Int = 2,
        start: (@Sendable (@escaping @Sendable () -> Void) -> Bool)? = nil
    ) throws -> (service: KeyService, stores: Stores, audit: BufferedAuditLog) {
        let database = try SQLiteDatabase(path: file)
        databases.withLock { $0.append(database) }
        let stores = database.stores()
        let audit = BufferedAuditLog(store: stores.audit)
        let pool = HashingPool(threads: threads, backlogMax: 64, waitMilliseconds: 10_000) { body in
            self.starts.withLock { $0 += 1 }
            if let start { return start(body) }
            Thread.detachNewThread(body)
            return true
        }
        let service = KeyService(
            settings: settings, stores: stores, secrets: secrets ?? self.secrets, pool: pool, parameters: parameters,
            audit: audit, ambient: ambient)
        return (service, stores, audit)
    }

    func close() {
        databases.withLock { databases in
            for database in databases { database.close() }
        }
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Something that happened, seen from everywhere.
final class Flag: Sendable {
    private let value = Mutex(false)

    var isUp: Bool { value.withLock { $0 } }

    func raise() { value.withLock { $0 = true } }
}

/// What came of a guess, in one word.
enum Guess: Hashable, Sendable {
    case opened(key: String, longSecret: String?)
    case refused(KeyServiceProblem)

    static func of(_ attempt: () async throws -> KeyServiceAnswer) async throws -> Guess {
        do {
            let answer = try await attempt()
            return .opened(key: answer.key.exposed(), longSecret: answer.longSecret?.exposed())
        } catch let problem as KeyServiceProblem {
            return .refused(problem)
        }
    }
}

extension KeyServiceAnswer {
    /// The same, to compare with.
    var guess: Guess { .opened(key: key.exposed(), longSecret: longSecret?.exposed()) }
}

internal import Foundation
internal import KeyturnBase
internal import StoreSQL
internal import Synchronization

/// The making of a snapshot beside the log that is being followed, on a thread of its own.
final class SnapshotRun: Sendable {
    private let outcome = Mutex<Result<BackupReport, CommandFailure>?>(nil)
    private let isEnded = Atomic(false)

    /// - Parameter part: with which it begins.
    init(
        _ configuration: ServerConfiguration, of line: LogLine, _ part: Int, to recipients: [BackupRecipient],
        withSecrets: Bool
    ) {
        let isStarted = DetachedThread.start {
            let result = Self.run(configuration, line.snapshot(part), recipients, withSecrets) {
                self.isEnded.load(ordering: .relaxed)
            }
            self.outcome.withLock { $0 = result }
        }
        if !isStarted { outcome.withLock { $0 = .failure(.failed("there are no more threads.")) } }
    }

    /// `nil` while it runs.
    var result: Result<BackupReport, CommandFailure>? { outcome.withLock { $0 } }

    /// Ends it soon.
    func end() { isEnded.store(true, ordering: .relaxed) }

    private static func run(
        _ configuration: ServerConfiguration, _ path: String, _ recipients: [BackupRecipient], _ withSecrets: Bool,
        isEnded: @escaping () -> Bool
    ) -> Result<BackupReport, CommandFailure> {
        do {
            let creation = BackupCreation(
                configuration: configuration, recipients: recipients, identities: [], withSecrets: withSecrets,
                verifies: true, scratch: nil
            ) { _ in if isEnded() { throw CommandFailure.failed("interrupted.") } }
            return .success(try creation.run(to: path))
        } catch let failure as CommandFailure {
            return .failure(failure)
        } catch {
            return .failure(.failed("\(error)"))
        }
    }
}

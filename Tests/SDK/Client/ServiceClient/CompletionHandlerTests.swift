import KeyturnBase
import Testing

@testable import Keyturn

@Suite("Completion handlers")
struct CompletionHandlerTests {
    @Test func `a service client, a backend of passkeys and a session manager tell results and errors`() async throws {
        let box = BoxWorld()
        let client = box.client()
        let me = await withCheckedContinuation { continuation in
            client.perform {
                try await $0.call("GET", BoxWorld.me)
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect(try me.get()["id"] == "11")

        let backend = try PasskeyBackend(secretKey: "secret_x", transport: FakePasskeyService())
        let refused = await withCheckedContinuation { continuation in
            backend.perform {
                try await $0.verifyAuthToken("")
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect(throws: AuthError(.invalidArgument, "")) { try refused.get() }

        let world = try World()
        let manager = try await world.signedIn().sessionManager
        let isRefreshed = await withCheckedContinuation { continuation in
            manager.perform {
                try await $0.refreshSessionIfNeeded()
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        #expect(isRefreshed == .success(false))
    }

    @Test func `cancelling the task cancels the operation`() async throws {
        let client = BoxWorld().client()
        let error: AuthError? = await withCheckedContinuation { continuation in
            let task = client.perform { _ in
                try await Task.sleep(for: .seconds(60))
            } completion: {
                if case .failure(let error) = $0 { continuation.resume(returning: error) }
            }
            task.cancel()
        }
        #expect(error?.cause is CancellationError)
    }
}

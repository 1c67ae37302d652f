internal import Keyturn

/// The window of the scene that a view is in.
@MainActor final class SceneWindow {
    weak var window: (any AnyObject & Sendable)?

    /// Shows the system's sheets over this window; without one, over the window in front.
    static func present(
        over scene: SceneWindow?, _ operation: @MainActor () async throws(AuthError) -> Void
    ) async throws(AuthError) {
        guard let window = scene?.window else { return try await operation() }
        try await PresentationWindow.over(window) { () async throws(AuthError) in try await operation() }
    }
}

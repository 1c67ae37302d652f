public import KeyturnBase

/// The window of an app that the system's sheets are shown over, for what one task does.
///
/// Without one, a sheet is shown over the window in front. In an app with several windows that can be another one than
/// the person used.
///
/// ```swift
/// try await PresentationWindow.over(window) { () async throws(AuthError) in try await auth.authorize(options) }
/// ```
///
/// Counts for the browser and the authenticator that this library chooses. A ``BrowserAgent`` of the app's own may ask
/// for ``current``.
public enum PresentationWindow {
    /// Holds a window weakly.
    struct Reference: Sendable {
        let window: @MainActor @Sendable () -> AnyObject?
    }

    @TaskLocal static var reference: Reference?

    /// The window that was named for this task; `nil`: none was, or it is gone.
    @MainActor public static var current: AnyObject? { reference?.window() }

    /// Runs `operation`, and shows the system's sheets over `window` meanwhile.
    ///
    /// - Parameters:
    ///   - window: A `UIWindow` or `NSWindow`. Tasks that outlive this call do not keep it alive.
    ///   - operation: What may show sheets. Tasks that it starts are included, except for detached ones.
    ///   - isolation: Where `operation` runs: where it is called.
    /// - Throws: What `operation` throws.
    public static func over<Value>(
        _ window: any AnyObject & Sendable, isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        let reference = Reference { [weak window] in window }
        let outcome: Result<Value, AuthError> = await $reference.withValue(reference) {
            do throws(AuthError) {
                return .success(try await operation())
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}

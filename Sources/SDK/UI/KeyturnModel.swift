public import Keyturn
public import Observation

/// What views show of a container: whether a user is signed in, and who.
///
/// ```swift
/// switch model.state {
/// case .loading: EmptyView()
/// case .signedOut, .locked: SignInPage()
/// case .interactionRequired(let user): SignInPage(again: user.name)
/// case .signedIn(let user): Home(name: user.name)
/// case .unavailable(let error): StorePage(error)
/// }
/// ```
///
/// It follows `Keyturn.changes` and decides nothing: sign in and out with ``auth``. Several models of one
/// container, such as one for each window, show the same. It holds no token.
@Observable @MainActor
public final class KeyturnModel {
    /// What a view can show.
    public enum State: Hashable, Sendable {
        /// Not known yet: show neither the sign-in page nor the app.
        case loading
        /// No user is signed in.
        case signedOut
        /// A user is signed in, possibly without a network: see ``KeyturnModel/isStale``.
        case signedIn(User)
        /// A user is signed in, but must go to the service's page before there is another access token: to sign in
        /// again, to agree, or to prove more. Show what leads there (`Keyturn.authorize(_:)`); the session stays
        /// stored. See `SessionState.Freshness.interactionRequired`.
        case interactionRequired(User)
        /// No user is signed in, and sessions lie in the `Keyturn.vault`: unlock one, or sign in.
        case locked
        /// The store cannot be read now, so that it is not known whether a user is signed in. The user has not been
        /// signed out; ``KeyturnModel/start()`` tries again. With the code `store.key_lost` it can never be read again,
        /// and a sign-in replaces what is there.
        case unavailable(AuthError)
    }

    /// What is known at the moment.
    public private(set) var state: State = .loading
    /// Whether a user is signed in, but the access token has run out and could not be renewed yet: the network is down,
    /// or the service is.
    public private(set) var isStale = false
    /// Why the user was signed out without having asked for it; `nil` otherwise.
    public private(set) var end: SessionState.End?
    /// What went wrong with the last address that ``open(_:magicLinkURL:)`` was given; `nil` if nothing did. Set it to
    /// `nil` once it was shown.
    public var linkError: AuthError?

    /// Whose session it is.
    @ObservationIgnored public let auth: Keyturn
    @ObservationIgnored private var follower: Follower?
    /// How often the container was looked at, and the last of these looks whose finding was shown: what an earlier one
    /// finds after it does not count any more.
    @ObservationIgnored private var looks = (begun: 0, shown: 0)

    /// A model of a container. Reads nothing before ``start()``.
    public init(_ auth: Keyturn) {
        self.auth = auth
    }

    /// Loads the stored session and follows it from now on. Asks no network.
    ///
    /// Harmless if called again: then it looks whether another process has changed the session, and tries once more to
    /// read a store that could not be read.
    public func start() async {
        follow()
        do throws(AuthError) {
            try await auth.start()
            await look()
        } catch {
            await look(error)
        }
    }

    /// Takes an address that the system opened the app with, see `Keyturn.handle(url:magicLinkURL:)`.
    ///
    /// What goes wrong is shown by ``linkError``, unless the user gave up.
    ///
    /// - Parameters:
    ///   - url: What the system brought.
    ///   - magicLinkURL: Where this app's magic links lead; `nil`: to no place in the app.
    /// - Returns: Whether the address was this container's. If not, it is the app's, and nothing was done.
    @discardableResult
    public func open(_ url: String, magicLinkURL: String? = nil) async -> Bool {
        do throws(AuthError) {
            guard try await auth.handle(url: url, magicLinkURL: magicLinkURL) else { return false }
            linkError = nil
        } catch {
            if error.code != .cancelled { linkError = error }
        }
        return true
    }
}

/// Following the container.
extension KeyturnModel {
    /// Ends the task when it is released.
    private final class Follower: Sendable {
        private let task: Task<Void, Never>

        init(_ task: Task<Void, Never>) {
            self.task = task
        }

        deinit {
            task.cancel()
        }
    }

    private func follow() {
        guard follower == nil else { return }
        // Subscribed before the first look, so that nothing in between is missed.
        let changes = auth.changes
        follower = Follower(
            Task { [weak self] in
                for await change in changes {
                    guard let self else { return }
                    await self.look(change.reason == .storeUnavailable ? change.error : nil)
                }
            })
    }

    private struct Finding {
        let state: State
        var isStale = false
        var end: SessionState.End?
    }

    /// Shows what is so now. What a change said may be over already.
    ///
    /// - Parameter problem: Why nothing is known, if so.
    private func look(_ problem: AuthError? = nil) async {
        looks.begun += 1
        let number = looks.begun
        guard let found = await find(problem), number > looks.shown else { return }
        looks.shown = number
        // Views are drawn again for what is set, equal or not.
        if state != found.state { state = found.state }
        if isStale != found.isStale { isStale = found.isStale }
        if end != found.end { end = found.end }
    }

    /// - Returns: `nil` if there is nothing new.
    private func find(_ problem: AuthError?) async -> Finding? {
        let session = await auth.state
        switch session {
        case .unknown: return problem.map { Finding(state: .unavailable($0)) }
        case .signedIn:
            // A session that has just ended has another change.
            guard let claims = await auth.userClaims else { return nil }
            let user = User(claims: claims)
            return Finding(
                state: session.isInteractionRequired ? .interactionRequired(user) : .signedIn(user),
                isStale: session.isStale)
        case .signedOut: return await withoutSession(nil)
        case .ended(let end): return await withoutSession(end)
        }
    }

    private func withoutSession(_ end: SessionState.End?) async -> Finding {
        do throws(AuthError) {
            return Finding(state: try await auth.vault.users.isEmpty ? .signedOut : .locked, end: end)
        } catch {
            return Finding(state: .unavailable(error), end: end)
        }
    }
}

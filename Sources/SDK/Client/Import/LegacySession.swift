internal import KeyturnBase

/// The session that another library left on this device: which library, and where its items are.
///
/// A container takes it over once, so that an update of the app signs no user out. Containers of Descope and Box do so by
/// themselves; ``Service/importing(_:)`` says otherwise.
public struct LegacySession: Sendable {
    enum Library: Hashable, Sendable {
        case descopeKit(projectID: String)
        case box
        case authgear(name: String)
    }

    let library: Library
    /// `nil`: this platform's keychain; where there is none, nothing is taken over.
    let items: (any LegacySessionItems)?

    /// The session that DescopeKit's session manager kept.
    ///
    /// - Parameters:
    ///   - projectID: The project that DescopeKit was set up with.
    ///   - items: Where its item is; `nil`: in the keychain, see `LegacySessionKeychain`.
    public static func descopeKit(projectID: String, items: (any LegacySessionItems)? = nil) -> LegacySession {
        LegacySession(library: .descopeKit(projectID: projectID), items: items)
    }

    /// The tokens that Box's SDK kept in its keychain store: that of the generated SDK (from 6 on), or else that of the
    /// one before. Only tokens with a refresh token are a user's session.
    ///
    /// - Parameter items: Where its items are; `nil`: in the keychain. On the Mac they may lie in the older keychain,
    ///   which `LegacySessionKeychain(searchesFileKeychain: true)` searches as well.
    public static func box(items: (any LegacySessionItems)? = nil) -> LegacySession {
        LegacySession(library: .box, items: items)
    }

    /// The session of one of Authgear's containers. One that is bound to a key of Authgear's SDK cannot be taken over.
    ///
    /// - Parameters:
    ///   - name: The name of Authgear's container.
    ///   - items: Where its items are; `nil`: in the keychain.
    public static func authgear(
        name: String = "default", items: (any LegacySessionItems)? = nil
    ) -> LegacySession {
        LegacySession(library: .authgear(name: name), items: items)
    }
}

/// What looking for another library's session came to.
enum LegacyFinding: Hashable, Sendable {
    /// There certainly is none.
    case absent
    case found(LegacyTokens)
    /// There is something that cannot be taken over; it is left alone.
    case unusable(AuthError.Code)
}

extension LegacySession {
    /// Looks for the session.
    ///
    /// - Throws: `store.unavailable` if it cannot be known now whether there is one.
    func find(in items: any LegacySessionItems) throws(AuthError) -> LegacyFinding {
        switch library {
        case .descopeKit(let projectID):
            let item = DescopeKitItem.place(projectID)
            guard let data = try items.item(item) else { return .absent }
            return Self.finding(DescopeKitItem.read(data), item, data)
        case .box: return try findBox(in: items)
        case .authgear(let name): return try AuthgearItems(name: name).find(in: items)
        }
    }

    /// The newer SDK's item counts. What it cannot be made of is not a reason to give the other one up.
    private func findBox(in items: any LegacySessionItems) throws(AuthError) -> LegacyFinding {
        var newer = LegacyFinding.absent
        if let data = try items.item(BoxGeneratedItem.place) {
            newer = Self.finding(BoxGeneratedItem.read(data), BoxGeneratedItem.place, data)
            if case .found = newer { return newer }
        }
        guard let data = try items.item(BoxItem.place) else { return newer }
        let older = Self.finding(BoxItem.read(data), BoxItem.place, data)
        if case .found = older { return older }
        return newer == .absent ? older : newer
    }

    private static func finding(
        _ result: Result<LegacyTokens, AuthError>, _ item: LegacySessionItem, _ data: [UInt8]
    ) -> LegacyFinding {
        switch result {
        case .failure(let error): return .unusable(error.code)
        case .success(var tokens):
            tokens.sources = [LegacyTokens.Source(item: item, data: data)]
            return .found(tokens)
        }
    }
}

import Foundation

/// A keychain in memory that has the real one's rules, and goes wrong when told to.
public final class StandInKeychain: @unchecked Sendable {
    public enum Call: String, Sendable { case copy, add, update, delete }

    /// The one that the functions of this module act on.
    public static let shared = StandInKeychain()

    private let lock = NSRecursiveLock()
    private var items: [[String: Any]] = []
    private var injected: [(call: Call, status: OSStatus)] = []
    private var log: [(call: Call, query: [String: Any])] = []
    private var hook: ((Call) -> Void)?

    /// Whether the person has unlocked the device since it started.
    public var wasUnlocked = true
    public var isUnlocked = true
    public var hasPasscode = true
    /// Answers *not found* for what is locked, as devices have been seen to do.
    public var hidesLockedItems = false
    /// Whether the program has a data-protection keychain.
    public var isEntitled = true
    /// What the program is entitled to. Items are added to the first, and looked for in all.
    public var accessGroups = ["TEAM.app"]
    /// What making a key fails with; `nil`: there is an Enclave.
    public var enclaveFailure: NSError?
    /// What signing fails with.
    public var signingFailure: NSError?
    /// The DER form that the next signature takes.
    public var forgedSignature: [UInt8]?

    public func reset() {
        lock.withLock {
            (items, injected, log, hook) = ([], [], [], nil)
            (wasUnlocked, isUnlocked, hasPasscode, hidesLockedItems) = (true, true, true, false)
            (isEntitled, accessGroups, forgedSignature) = (true, ["TEAM.app"], nil)
            (enclaveFailure, signingFailure) = (nil, nil)
        }
    }

    /// Another finger or face is enrolled: what was made for the present ones alone is gone.
    public func enrolAnother() {
        lock.withLock {
            items.removeAll { ($0["flags"] as? SecAccessControlCreateFlags)?.contains(.biometryCurrentSet) == true }
        }
    }

    /// The device's passcode is removed, and with it what hung on it.
    public func removePasscode() {
        lock.withLock {
            hasPasscode = false
            items.removeAll { $0["pdmn"] as? String == "akpu" }
        }
    }

    /// The next such call fails with this status.
    public func fail(_ call: Call, _ status: OSStatus) { lock.withLock { injected.append((call, status)) } }
    /// Called before each call, outside of it.
    public func before(_ hook: ((Call) -> Void)?) { lock.withLock { self.hook = hook } }
    public var calls: [Call] { lock.withLock { log.map(\.call) } }
    public var queries: [[String: Any]] { lock.withLock { log.map(\.query) } }
    public func forgetCalls() { lock.withLock { log = [] } }
    /// What lies in the keychain, whoever may see it.
    public var contents: [[String: Any]] { lock.withLock { items } }

    func add(_ attributes: [String: Any]) -> OSStatus {
        run(.add, attributes, known: Self.stored.union(["class", "nleg"])) {
            var item = attributes
            item["nleg"] = nil
            if let access = attributes["accc"] as? SecAccessControl {
                guard item["pdmn"] == nil else { return -50 }
                (item["accc"], item["pdmn"], item["flags"]) = (nil, access.protection, access.flags)
            }
            item["agrp"] = attributes["agrp"] ?? accessGroups.first
            guard Self.isComplete(item) else { return -50 }
            if item["pdmn"] as? String == "akpu", !hasPasscode { return -25_293 }
            guard isOpen(item) else { return -25_308 }
            guard !items.contains(where: { Self.key($0) == Self.key(item) }) else { return -25_299 }
            items.append(item)
            return 0
        }
    }

    func update(_ query: [String: Any], _ changes: [String: Any]) -> OSStatus {
        run(.update, query, known: Self.stored.union(["class", "nleg"])) {
            guard Set(changes.keys).isSubset(of: Self.stored), query["v_Data"] == nil else { return -50 }
            let found = items.indices.filter { matches(items[$0], query) }
            guard let first = found.first else { return -25_300 }
            guard isOpen(items[first]) else { return hidesLockedItems ? -25_300 : -25_308 }
            for index in found { items[index].merge(changes) { $1 } }
            return 0
        }
    }

    /// Removing needs no key, so it works while everything is locked.
    func delete(_ query: [String: Any]) -> OSStatus {
        run(.delete, query, known: Self.stored.union(["class", "nleg"])) {
            let count = items.count
            items.removeAll { matches($0, query) }
            return items.count == count ? -25_300 : 0
        }
    }

    func copy(_ query: [String: Any]) -> (OSStatus, AnyObject?) {
        var found: AnyObject?
        let known = Self.stored.union(["class", "nleg", "r_Data", "r_Attributes", "r_Ref", "m_Limit", "u_AuthCtx"])
        let status = run(.copy, query, known: known) {
            guard let item = items.first(where: { matches($0, query) }) else { return -25_300 }
            guard isOpen(item) else { return hidesLockedItems ? -25_300 : -25_308 }
            if query["r_Ref"] as? Bool == true {
                let key = item["ref"] as? SecKey
                found = key?.opened(by: query["u_AuthCtx"] as? any StandInAuthentication)
            } else {
                let flags = item["flags"] as? SecAccessControlCreateFlags
                if query["r_Data"] as? Bool == true, flags?.asks == true {
                    let authentication = query["u_AuthCtx"] as? any StandInAuthentication
                    guard authentication?.isEvaluated == true else { return -25_293 }
                }
                var visible = item.filter { !["v_Data", "ref", "flags"].contains($0.key) }
                if query["r_Data"] as? Bool == true { visible["v_Data"] = item["v_Data"] }
                found = visible as NSDictionary
            }
            return 0
        }
        return (status, found)
    }

    func addKey(_ item: [String: Any]) -> OSStatus {
        lock.withLock {
            var item = item
            item["agrp"] = item["agrp"] ?? accessGroups.first
            guard isEntitled, accessGroups.contains(item["agrp"] as? String ?? "") else { return -34_018 }
            guard isOpen(item) else { return -25_308 }
            items.append(item)
            return 0
        }
    }

    private func run(_ call: Call, _ query: [String: Any], known: Set<String>, _ body: () -> OSStatus) -> OSStatus {
        lock.withLock { hook }?(call)
        return lock.withLock {
            log.append((call, query))
            if let index = injected.firstIndex(where: { $0.call == call }) { return injected.remove(at: index).status }
            guard Set(query.keys).isSubset(of: known), query["nleg"] as? Bool == true else { return -50 }
            guard isEntitled, query["agrp"].map({ accessGroups.contains($0 as? String ?? "") }) ?? true else {
                return -34_018
            }
            return body()
        }
    }

    /// What an item has; everything else belongs to a query.
    private static let stored: Set<String> = [
        "acct", "svce", "gena", "agrp", "pdmn", "v_Data", "atag", "type", "tkid", "accc",
    ]

    private static func isComplete(_ item: [String: Any]) -> Bool {
        item["class"] as? String == "genp" && item["v_Data"] is Data && (item["gena"] is Data || item["svce"] == nil)
    }

    /// What no two items have in common.
    private static func key(_ item: [String: Any]) -> [String] {
        ["class", "agrp", "svce", "acct"].map { item[$0] as? String ?? "" }
    }

    private func matches(_ item: [String: Any], _ query: [String: Any]) -> Bool {
        guard accessGroups.contains(item["agrp"] as? String ?? "") else { return false }
        return ["class", "agrp", "svce", "acct", "gena", "atag", "type", "tkid"].allSatisfy { name in
            guard let wanted = query[name] else { return true }
            return (wanted as? NSObject)?.isEqual(item[name]) ?? false
        }
    }

    private func isOpen(_ item: [String: Any]) -> Bool {
        switch item["pdmn"] as? String {
        case "ck", "cku": wasUnlocked
        case "ak", "aku": wasUnlocked && isUnlocked
        case "akpu": wasUnlocked && isUnlocked && hasPasscode
        default: false
        }
    }
}

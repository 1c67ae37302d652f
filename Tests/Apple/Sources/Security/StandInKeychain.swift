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
    /// Whether there is an older keychain in files beside, as on the Mac: for calls without the data-protection flag.
    public var hasFileKeychain = false
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
            (enclaveFailure, signingFailure, hasFileKeychain) = (nil, nil, false)
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
            item["file"] = attributes["nleg"] == nil ? true : nil
            item["pref"] = Data("reference \(UInt64.random(in: 0...UInt64.max))".utf8)
            if let access = attributes["accc"] as? SecAccessControl {
                guard item["pdmn"] == nil else { return -50 }
                (item["accc"], item["pdmn"], item["flags"]) = (nil, access.protection, access.flags)
            }
            item["agrp"] = attributes["agrp"] ?? accessGroups.first
            // What an item is known by is never missing, only empty.
            item["svce"] = attributes["svce"] ?? ""
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
        let known = Self.stored.union(Self.wanted).union(["class", "nleg"])
        let status = run(.copy, query, known: known) {
            let all = items.filter { matches($0, query) }
            guard let item = all.first else { return -25_300 }
            guard all.allSatisfy(isOpen) else { return hidesLockedItems ? -25_300 : -25_308 }
            if query["m_Limit"] as? String == "m_LimitAll" {
                // The Mac's older keychain hands out no secrets of several items at once.
                guard query["r_Data"] == nil, query["r_Ref"] == nil else { return -50 }
                found = all.map { Self.attributes($0, query) } as NSArray
                return 0
            }
            if query["r_Ref"] as? Bool == true {
                let key = item["ref"] as? SecKey
                found = key?.opened(by: query["u_AuthCtx"] as? any StandInAuthentication)
            } else {
                let flags = item["flags"] as? SecAccessControlCreateFlags
                if query["r_Data"] as? Bool == true, flags?.asks == true {
                    let authentication = query["u_AuthCtx"] as? any StandInAuthentication
                    guard authentication?.isEvaluated == true else { return -25_293 }
                }
                found = Self.attributes(item, query) as NSDictionary
            }
            return 0
        }
        return (status, found)
    }

    private static func attributes(_ item: [String: Any], _ query: [String: Any]) -> [String: Any] {
        var visible = item.filter { !["v_Data", "ref", "flags", "file", "pref"].contains($0.key) }
        if query["r_Data"] as? Bool == true { visible["v_Data"] = item["v_Data"] }
        if query["r_PersistentRef"] as? Bool == true { visible["v_PersistentRef"] = item["pref"] }
        return visible
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
            guard Set(query.keys).isSubset(of: known), query["nleg"] as? Bool == true || hasFileKeychain else {
                return -50
            }
            // A reference and attributes exclude each other.
            guard query["v_PersistentRef"] == nil || Self.attributeNames.isDisjoint(with: query.keys) else {
                return -50
            }
            guard isEntitled, query["agrp"].map({ accessGroups.contains($0 as? String ?? "") }) ?? true else {
                return -34_018
            }
            return body()
        }
    }

    /// What an item has; everything else belongs to a query.
    private static let stored: Set<String> = [
        "acct", "svce", "gena", "agrp", "pdmn", "v_Data", "atag", "type", "tkid", "accc", "v_PersistentRef",
    ]

    /// What a query asks for.
    private static let wanted: Set<String> = [
        "r_Data", "r_Attributes", "r_Ref", "r_PersistentRef", "m_Limit", "u_AuthCtx",
    ]

    /// What a query finds items by.
    private static let attributeNames: Set<String> = ["agrp", "svce", "acct", "gena", "atag", "type", "tkid"]

    private static func isComplete(_ item: [String: Any]) -> Bool {
        item["class"] as? String == "genp" && item["v_Data"] is Data
            && (item["gena"] is Data || item["svce"] as? String == "")
    }

    /// What no two items have in common.
    private static func key(_ item: [String: Any]) -> [String] {
        ["class", "agrp", "svce", "acct"].map { item[$0] as? String ?? "" } + [item["file"] == nil ? "" : "file"]
    }

    private func matches(_ item: [String: Any], _ query: [String: Any]) -> Bool {
        if item["file"] != nil, query["nleg"] as? Bool == true { return false }
        if let reference = query["v_PersistentRef"] as? Data { return reference == item["pref"] as? Data }
        guard accessGroups.contains(item["agrp"] as? String ?? "") else { return false }
        return Self.attributeNames.union(["class"]).allSatisfy { name in
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

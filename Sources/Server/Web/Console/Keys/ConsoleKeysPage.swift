internal import Authority
internal import KeyturnBase
internal import Model
internal import Texts

/// The keys that sign tokens, with their schedule.
struct ConsoleKeysPage: ConsolePage {
    enum Notice: String, Sendable {
        case rotated, underway, dropped
    }

    enum Problem: Sendable {
        /// The identifier was not typed again.
        case confirmation
        case refused(String)
    }

    static let template = PageTemplate.consoleKeys
    static let section = ConsoleSection.keys
    let visitor: ConsoleVisitor
    let form: PageForm
    /// The oldest first.
    let keys: [StoredKey]
    let algorithms: [String]
    let now: UnixTime
    var problem: Problem?
    var notice: Notice?

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleKeysStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text,
            "keys": keys.map { row($0, strings) }, "hasKeys": !keys.isEmpty,
            "mayChange": visitor.may(.operator), "algorithms": algorithms,
        ]
        if let line = KeyTimeline(keys, at: now) { values["timeline"] = line.values(text) }
        values["problem"] = problem.map { problem in
            switch problem {
            case .confirmation: text.wrongID
            case .refused(let sentence): sentence
            }
        }
        if let notice { values["notice"] = text.notice(notice) }
        return form.values(values)
    }

    private func row(_ key: StoredKey, _ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleKeysStrings.self]
        let state = key.state(at: now) ?? .verifying
        return [
            "kid": key.keyID, "algorithm": key.algorithm, "state": text.state(state),
            "badge": state == .signing ? "good" : "plain", "created": time(key.createdAt, strings),
            "activates": time(key.activatesAt, strings), "retires": time(key.retiresAt, strings),
            "removed": time(key.removedAt, strings),
        ]
    }

    private func time(_ time: UnixTime, _ strings: Strings) -> [String: String] {
        let seconds = Int(time.seconds(since: now))
        let relative =
            seconds > 0
            ? strings[ConsoleKeysStrings.self].until(seconds, strings.time) : strings.time.since(-seconds)
        return ["exact": time.minuteText, "relative": relative]
    }
}

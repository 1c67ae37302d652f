internal import Authority
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import Texts

/// The queue of messages, and those that were given up.
struct ConsoleMessagesPage: ConsolePage {
    enum Notice: String, Sendable {
        case queued, retried, gone
    }

    static let template = PageTemplate.consoleMessages
    static let section = ConsoleSection.messages
    let visitor: ConsoleVisitor
    let form: PageForm
    let waitingCount: Int
    /// The newest of them, the newest first.
    let waiting: [QueuedMessage]
    let dead: [DeadLetter]
    /// By which a test can be sent.
    let channels: [DeliveryMethod]
    let languages: [Language]
    let canPreview: Bool
    let now: UnixTime
    /// What was typed for a test whose address is not one of the channel; `nil`: nothing is wrong.
    var typed: (channel: String, to: String, locale: String)?
    var notice: Notice?

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleMessagesStrings.self]
        let chosen = typed?.locale ?? text.texts.table.code
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "count": text.count(waitingCount),
            "waiting": waiting.map { row($0, strings) }, "hasWaiting": !waiting.isEmpty,
            "dead": dead.map { row($0, strings) }, "hasDead": !dead.isEmpty, "mayHelp": visitor.may(.support),
            "actionsTitle": strings[ConsoleStrings.self].actions, "canSend": !channels.isEmpty, "to": typed?.to ?? "",
            "channels": channels.map { channel in
                [
                    "value": channel.rawValue, "name": text.channel(channel),
                    "isChosen": channel.rawValue == typed?.channel,
                ] as [String: Any]
            },
            "languages": languages.map { language in
                ["value": language.code, "name": language.name, "isChosen": language.code == chosen] as [String: Any]
            },
        ]
        if canPreview { values["previewURI"] = ConsoleRoutes.previewPath }
        if typed != nil { values["problem"] = text.wrongAddress }
        if let notice { values["notice"] = text.notice(notice) }
        return form.values(values)
    }

    private func row(_ message: QueuedMessage, _ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleMessagesStrings.self]
        var row: [String: Any] = [
            "id": message.id.text, "kind": text.kind(message.kind), "channel": text.channel(message.channel),
            "since": since(message.createdAt, strings), "sinceExact": message.createdAt.minuteText,
            "attempts": String(message.attempts), "dueExact": message.dueAt.minuteText,
            "due": due(message.dueAt, strings),
        ]
        switch message.state {
        case .waiting: row["reason"] = "–"
        case .sending: (row["reason"], row["due"]) = ("–", text.sending)
        case .failed(let reason):
            row["reason"] = reason
            row["mayRetry"] = visitor.may(.support) && message.dueAt > now
        }
        return row
    }

    private func row(_ letter: DeadLetter, _ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleMessagesStrings.self]
        return [
            "kind": text.kind(letter.kind), "channel": text.channel(letter.channel),
            "attempts": String(letter.attempts), "reason": letter.reason,
            "since": since(letter.finishedAt, strings), "sinceExact": letter.finishedAt.minuteText,
        ]
    }

    private func since(_ time: UnixTime, _ strings: Strings) -> String {
        strings.time.since(Int(max(0, now.seconds(since: time))))
    }

    private func due(_ time: UnixTime, _ strings: Strings) -> String {
        let text = strings[ConsoleMessagesStrings.self]
        let seconds = Int(time.seconds(since: now))
        return seconds <= 0 ? text.dueNow : text.due(strings.time.duration(seconds))
    }
}

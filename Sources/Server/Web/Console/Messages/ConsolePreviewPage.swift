internal import KeyturnWire
internal import Model

/// What a message says, with invented values.
struct ConsolePreviewPage: ConsolePage {
    /// Which message is shown.
    struct Choice: Sendable {
        let kind: MessageKind
        var channel: DeliveryMethod
        /// BCP 47.
        let language: String
    }

    static let template = PageTemplate.consolePreview
    static let section = ConsoleSection.messages
    static let holdsFrames = true
    let visitor: ConsoleVisitor
    let choice: Choice
    let languages: [Language]
    let preview: MessagePreview

    func title(_ strings: Strings) -> String { strings[ConsoleMessagesStrings.self].preview }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleMessagesStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "uri": ConsoleRoutes.previewPath,
            "messages": ConsoleSection.messages.path, "back": text.title,
            "kinds": MessageKind.allCases.map { option($0.rawValue, text.kind($0), choice.kind.rawValue) },
            "channels": (DeliveryMethod.allCases + [.push]).map {
                option($0.rawValue, text.channel($0), choice.channel.rawValue)
            },
            "languages": languages.map { option($0.code, $0.name, choice.language) },
            "language": preview.language, "body": preview.text,
        ]
        if !preview.subject.isEmpty { values["subject"] = preview.subject }
        if let html = preview.html {
            values["mail"] = [
                "source": html,
                "uri": ConsoleMiddleware.address(
                    ConsoleRoutes.mailPath, ["kind": choice.kind.rawValue, "locale": choice.language]),
            ]
        }
        return values
    }

    private func option(_ value: String, _ name: String, _ chosen: String) -> [String: Any] {
        ["value": value, "name": name, "isChosen": value == chosen]
    }
}

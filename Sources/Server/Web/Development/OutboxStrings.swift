/// Words of the outbox, in which development reads what would have been sent.
struct OutboxStrings: PageStrings {
    let heading: String
    let lead: String
    let empty: String
    let reload: String
    let body: String
    let title: String
    let text: String
    let channel: @Sendable (_ name: String) -> String
}

extension OutboxStrings {
    static let english = OutboxStrings(
        heading: "Outbox",
        lead: "Every message for people, the newest first.",
        empty: "Nothing was sent yet. Messages appear here as soon as there are any.",
        reload: "Reload",
        body: "The whole message",
        title: "Read what was sent",
        text: "Every mail and text message for people can be read in the outbox.",
        channel: { name in
            switch name {
            case "email": "Mail"
            case "sms": "Text message"
            case "whatsapp": "WhatsApp"
            case "voice": "Call"
            default: name
            }
        })
}

extension OutboxStrings {
    static let german = OutboxStrings(
        heading: "Postausgang",
        lead: "Alle Nachrichten an Menschen, das Neueste zuerst.",
        empty: "Noch wurde nichts verschickt. Nachrichten erscheinen hier, sobald es welche gibt.",
        reload: "Neu laden",
        body: "Die ganze Nachricht",
        title: "Lesen, was verschickt wurde",
        text: "Jede Mail und SMS an Menschen lässt sich im Postausgang lesen.",
        channel: { name in
            switch name {
            case "email": "Mail"
            case "sms": "SMS"
            case "whatsapp": "WhatsApp"
            case "voice": "Anruf"
            default: name
            }
        })
}

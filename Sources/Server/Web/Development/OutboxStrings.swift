internal import Texts

/// Words of the outbox, in which development reads what would have been sent.
struct OutboxStrings: PageTexts {
    static let group = "outbox"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    var lead: String { texts["lead"] }
    var empty: String { texts["empty"] }
    var reload: String { texts["reload"] }
    var body: String { texts["body"] }
    var title: String { texts["title"] }
    var text: String { texts["text"] }
    func channel(_ name: String) -> String {
        switch name {
        case "email": texts["channel.email"]
        case "sms": texts["channel.sms"]
        case "whatsapp": texts["channel.whatsapp"]
        case "voice": texts["channel.voice"]
        default: name
        }
    }
}

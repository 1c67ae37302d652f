internal import Texts

/// What the start page says about the server's clock.
struct TimeStrings: PageTexts {
    static let group = "time"
    let texts: TextGroup

    var title: String { texts["title"] }
    /// The server's time and, if that is another, the machine's.
    func text(_ time: String, _ machine: String?) -> String {
        guard let machine else { return texts["text.same", ["time": time]] }
        return texts["text.ahead", ["time": time, "machine": machine]]
    }
    var advance: String { texts["advance"] }
    var submit: String { texts["submit"] }
    var problem: String { texts["problem"] }
    var tooFar: String { texts["tooFar"] }
}

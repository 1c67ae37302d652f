internal import Model
internal import Texts

/// What the settings say of refresh tokens that were copied.
struct CopiedTokenStrings: PageTexts {
    static let group = "copiedToken"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    var lead: String { texts["lead"] }
    func fact(_ kind: CopiedTokenSign.Kind, _ since: String) -> String {
        switch kind {
        case .ended: texts["fact.ended", ["since": since]]
        case .shadowed(isEnded: true): texts["fact.shadowedEnded", ["since": since]]
        case .shadowed(isEnded: false): texts["fact.shadowed", ["since": since]]
        case .usedElsewhere(let count): texts["fact.usedElsewhere", ["count": count, "since": since]]
        }
    }
}

internal import Texts

/// What the sign-in pages say about passkeys.
struct PasskeyStrings: PageTexts {
    static let group = "passkey"
    let texts: TextGroup

    var signIn: String { texts["signIn"] }
    var useInstead: String { texts["useInstead"] }
    func failed(_ kind: PasskeyButton.Kind) -> String { kind == .get ? texts["failed.get"] : texts["failed.create"] }
    var excluded: String { texts["excluded"] }
    func refusal(_ kind: PasskeyRefusal) -> String {
        switch kind {
        case .expired: texts["refusal.expired"]
        case .unknown: texts["refusal.unknown"]
        case .switchedOff: texts["refusal.switchedOff"]
        case .refused: texts["refusal.refused"]
        }
    }
    var onlyPasskeys: String { texts["onlyPasskeys"] }
    var offerHeading: String { texts["offerHeading"] }
    var offerLead: String { texts["offerLead"] }
    var offerPoints: [String] {
        [texts["offerPoints.first"], texts["offerPoints.second"]]
    }
    var offerSubmit: String { texts["offerSubmit"] }
    var later: String { texts["later"] }
    var waiting: String { texts["waiting"] }
    var goOn: String { texts["goOn"] }
    func ceremonyHeading(_ kind: PasskeyButton.Kind) -> String {
        kind == .get ? texts["ceremonyHeading.get"] : texts["ceremonyHeading.create"]
    }
    func ceremonyLead(_ kind: PasskeyButton.Kind) -> String {
        kind == .get ? texts["ceremonyLead.get"] : texts["ceremonyLead.create"]
    }
    var ceremonyWarning: String { texts["ceremonyWarning"] }
    var needsScripts: String { texts["needsScripts"] }
    var service: String { texts["service"] }
    var create: String { texts["create"] }
    var `continue`: String { texts["continue"] }
}

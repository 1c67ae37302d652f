internal import Texts

/// What the preview of the theme says.
struct ThemeStrings: PageTexts {
    static let group = "theme"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    var lead: String { texts["lead"] }
    var builtIn: String { texts["builtIn"] }
    var light: String { texts["light"] }
    var dark: String { texts["dark"] }
    var sampleHeading: String { texts["sampleHeading"] }
    var sampleLead: String { texts["sampleLead"] }
    var link: String { texts["link"] }
    var alert: String { texts["alert"] }
    var notice: String { texts["notice"] }
    var warning: String { texts["warning"] }
    var wrongValue: String { texts["wrongValue"] }
    var code: String { texts["code"] }
    var primary: String { texts["primary"] }
    var way: String { texts["way"] }
    var pointed: String { texts["pointed"] }
    var secondary: String { texts["secondary"] }
    var list: String { texts["list"] }
    var listItem: String { texts["listItem"] }
    var listFacts: String { texts["listFacts"] }
    var good: String { texts["good"] }
    var rename: String { texts["rename"] }
    var remove: String { texts["remove"] }
    var scan: String { texts["scan"] }
    var qrCode: String { texts["qrCode"] }
    var contrast: String { texts["contrast"] }
    var contrastLead: String { texts["contrastLead"] }
    var pair: String { texts["pair"] }
    var needed: String { texts["needed"] }
    var on: String { texts["on"] }
    var textUse: String { texts["textUse"] }
    var shapeUse: String { texts["shapeUse"] }
    var tooLow: String { texts["tooLow"] }
    var samples: String { texts["samples"] }
    var startPage: String { texts["startPage"] }
    var signIn: String { texts["signIn"] }
    var device: String { texts["device"] }
    var settings: String { texts["settings"] }
    var signOut: String { texts["signOut"] }
    var error: String { texts["error"] }
    var outbox: String { texts["outbox"] }

    func scheme(_ scheme: ThemeScheme) -> String { scheme == .light ? light : dark }
    func use(_ use: ContrastPair.Use) -> String { use == .text ? textUse : shapeUse }

    /// By the names that the templates use.
    var values: [String: String] {
        [
            "heading": heading, "lead": lead, "sampleHeading": sampleHeading, "sampleLead": sampleLead, "link": link,
            "alert": alert, "notice": notice, "warning": warning, "wrongValue": wrongValue, "code": code,
            "primary": primary, "way": way, "pointed": pointed, "secondary": secondary, "list": list,
            "listItem": listItem, "listFacts": listFacts, "good": good, "rename": rename, "remove": remove,
            "scan": scan, "qrCode": qrCode, "contrast": contrast, "contrastLead": contrastLead, "pair": pair,
            "needed": needed, "light": light, "dark": dark, "samples": samples,
        ]
    }
}

import Model
import SignIn

@testable import Web

/// The steps of journeys, and the first pages with an operator's texts.
extension Gallery {
    var journeys: [Specimen] {
        let text = untrusted("Tell us about your company")
        let step = JourneyStep(
            "about", .refuse, title: LocalizedText(["en": text, "de": text]),
            text: LocalizedText(["en": text, "de": text]))
        let label = LocalizedText(["en": untrusted("Company"), "de": untrusted("Firma")])
        func page(_ content: JourneyStepPage.Content, _ step: JourneyStep = JourneyStep("s", .refuse))
            -> JourneyStepPage
        {
            JourneyStepPage(form: form("/login/step"), appName: app, step: step, content: content)
        }
        func field(_ name: String, _ kind: JourneyField.Kind, isRequired: Bool = true) -> JourneyStepPage.Field {
            JourneyStepPage.Field(
                field: JourneyField(name, isClaim: false, kind, isRequired: isRequired, label: label),
                typed: untrusted("typed"))
        }
        let option = JourneyOption(untrusted("small"), label: label)
        let fields = [
            field("company", .text(length: 2...40, mask: nil)),
            field("plate", .text(length: 1...7, mask: JourneyMask(untrusted("AA-9999")))),
            field("size", .number(within: 1...9), isRequired: false), field("born", .date(minimumAge: 18)),
            field("kind", .choice([option])), field("news", .boolean, isRequired: false),
        ]
        let refusals: [JourneyField.Refusal] = [
            .length(2...40), .form(untrusted("AA-9999")), .range(1...9), .tooYoung(years: 18), .missing, .invalid,
        ]
        let wrong = zip(fields, refusals).map { field, refusal in
            var field = field
            field.refusal = refusal
            return field
        }
        let document = JourneyDocument(
            name: "terms", version: untrusted("2"), uri: "https://example.test/terms?a=1&b=2")
        let button = ProviderButton(unknown: untrusted("acme"))
        return [
            ("journey-fields", page(.fields(fields), step)), ("journey-wrong", page(.fields(wrong))),
            ("journey-optional", page(.fields([fields[2]]))), ("journey-document", page(.document(document))),
            ("journey-tenants", page(.tenants([(untrusted("north"), untrusted("North")), ("south", "South")]))),
            ("journey-providers", page(.providers([button], isRequired: false, nil, provider: ""))),
            (
                "journey-provider-problem",
                page(.providers([button], isRequired: true, .refusal(.taken), provider: untrusted("Acme")))
            ),
            ("journey-factor", page(.factorMissing)), ("journey-account", page(.accountExists)),
            ("journey-refused", page(.refused, step)),
        ]
    }
}

internal import KeyturnBase
internal import Model

/// The page of one step of a journey: fields, a document, tenants, or why the sign-in ends here.
struct JourneyStepPage: FormPage {
    enum Content: Sendable {
        case fields([Field])
        case document(JourneyDocument)
        case tenants([(id: String, name: String)])
        /// Providers at which the user connects an account.
        case providers([ProviderButton], isRequired: Bool, FederationProblem?, provider: String)
        /// The user has no second factor that the step accepts.
        case factorMissing
        /// The step is for new users alone.
        case accountExists
        case refused
    }

    /// A field, and what became of it.
    struct Field: Sendable {
        let field: JourneyField
        /// As the user entered it.
        var typed = ""
        var refusal: JourneyField.Refusal?
    }

    static let template = PageTemplate.journeyStep
    static let name = "journey-step"
    let form: PageForm
    let appName: String
    let step: JourneyStep
    let content: Content

    func title(_ strings: Strings) -> String {
        if let own = step.title.text(in: strings.language.code) { return own }
        let text = strings[JourneyStrings.self]
        switch content {
        case .fields: return text.fieldsHeading
        case .document: return text.documentHeading
        case .tenants: return text.tenantsHeading
        case .providers: return text.providersHeading
        case .factorMissing: return text.factorHeading
        case .accountExists: return text.accountExistsHeading
        case .refused: return text.refusedHeading
        }
    }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[JourneyStrings.self]
        let language = strings.language.code
        var values: [String: Any] = [
            "heading": title(strings), "lead": step.text.text(in: language) ?? lead(text), "text": text,
            "cancel": strings.cancel,
        ]
        switch content {
        case .fields(let fields):
            values["fields"] = fields.enumerated().map { Self.values($1, first: $0 == firstWrong(fields), strings) }
            values["submit"] = text.next
            if fields.contains(where: { $0.refusal != nil }) { values["problem"] = text.problem }
            if !fields.contains(where: \.field.isRequired) { values["skip"] = text.skip }
        case .document(let document):
            let uri = document.uris.text(in: language) ?? ""
            values["document"] = ["uri": uri, "label": text.read, "version": text.version(document.version)]
            values["submit"] = text.accept
            values["action_value"] = "accept"
        case .tenants(let tenants):
            values["tenants"] = tenants.map { ["id": $0.id, "name": $0.name] }
        case .providers(let buttons, let isRequired, let problem, let provider):
            values["providers"] = buttons.map {
                ["id": $0.id, "label": text.connect($0.name), "mark": $0.mark] as [String: Any]
            }
            if let problem { values["problem"] = strings[FederationStrings.self].problem(problem, provider) }
            if !isRequired { values["skip"] = text.skip }
        case .factorMissing, .accountExists, .refused:
            values["isEnd"] = true
        }
        return form.values(values)
    }

    private func lead(_ text: JourneyStrings) -> String {
        switch content {
        case .fields: text.fieldsLead(appName)
        case .document: text.documentLead(appName)
        case .tenants: text.tenantsLead(appName)
        case .providers: text.providersLead(appName)
        case .factorMissing: text.factorLead(appName)
        case .accountExists: text.accountExistsLead(appName)
        case .refused: text.refusedLead(appName)
        }
    }

    /// The first field to mend, or else to fill in.
    private func firstWrong(_ fields: [Field]) -> Int { fields.firstIndex { $0.refusal != nil } ?? 0 }

    private static func values(_ field: Field, first: Bool, _ strings: Strings) -> [String: Any] {
        let text = strings[JourneyStrings.self]
        let language = strings.language.code
        var values: [String: Any] = [
            "id": "field-\(field.field.name)", "typed": field.typed, "focus": first,
            "label": field.field.label.text(in: language) ?? field.field.name,
            "required": field.field.isRequired,
        ]
        if !field.field.isRequired { values["optional"] = text.optional }
        if let refusal = field.refusal { values["wrong"] = text.refusal(refusal) }
        values["autocomplete"] = autocompletes[field.field.name] ?? "on"
        switch field.field.kind {
        case .text(let length, let mask):
            values["input"] = ["type": "text", "max": length.upperBound]
            if let mask { values["hint"] = text.form(mask.pattern) }
        case .number: values["input"] = ["type": "text", "mode": "numeric"]
        case .date: values["input"] = ["type": "date"]
        case .boolean: values["box"] = ["checked": field.typed == "true"]
        case .choice(let options):
            values["choice"] = [
                "none": text.choose,
                "options": options.map {
                    [
                        "value": $0.value, "label": $0.label.text(in: language) ?? $0.value,
                        "chosen": $0.value == field.typed,
                    ]
                },
            ]
        }
        return values
    }

    /// The tokens of HTML for claims that browsers can fill in.
    private static let autocompletes = [
        "name": "name", "given_name": "given-name", "family_name": "family-name", "middle_name": "additional-name",
        "nickname": "nickname", "website": "url", "birthdate": "bday",
    ]
}

/// A button that asks once more, for `consoleSure.mustache`.
struct ConsoleUserAction: Sendable {
    /// The value of `action` in the form.
    let word: String
    let label: String
    let question: String
    var confirm: String?
    var isDangerous = false
    var fields: [(name: String, value: String)] = []
    let form: PageForm

    /// The values for the template.
    var values: [String: Any] {
        form.values([
            "word": word, "label": label, "question": question, "confirm": confirm ?? label,
            "isDangerous": isDangerous, "fields": fields.map { ["name": $0.name, "value": $0.value] },
        ])
    }
}

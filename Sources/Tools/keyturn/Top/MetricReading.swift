/// The numbers of one reading of `/metrics`, in Prometheus' text format 0.0.4.
struct MetricReading: Sendable {
    struct Sample: Sendable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    private var byName: [String: [Sample]] = [:]

    /// Longest text that is read, in bytes.
    static let bytesMax = 16_777_216

    /// - Returns: `nil` if the text is something else, such as a page.
    init?(_ text: String) {
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            guard let sample = Self.sample(line) else { return nil }
            byName[sample.name, default: []].append(sample)
        }
        guard !byName.isEmpty else { return nil }
    }

    /// The series of a name.
    func samples(_ name: String) -> [Sample] { byName[name] ?? [] }

    /// The sum of the series of a name that have these labels; `nil` if there is none.
    func sum(_ name: String, where labels: [String: String] = [:]) -> Double? {
        let matching = samples(name).filter { sample in labels.allSatisfy { sample.labels[$0.key] == $0.value } }
        return matching.isEmpty ? nil : matching.reduce(0) { $0 + $1.value }
    }

    /// Sums of the series of a name, by the value of one label.
    func sums(_ name: String, by label: String) -> [String: Double] {
        samples(name).reduce(into: [:]) { $0[$1.labels[label] ?? "", default: 0] += $1.value }
    }

    private static func sample(_ line: Substring) -> Sample? {
        guard let end = line.firstIndex(where: { $0 == "{" || $0 == " " }), end > line.startIndex else { return nil }
        let name = String(line[..<end])
        var rest = line[end...]
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while let first = rest.first, first != "}" {
                guard let mark = rest.firstIndex(of: "=") else { return nil }
                let key = String(rest[..<mark])
                rest = rest[rest.index(after: mark)...]
                guard let value = quoted(&rest) else { return nil }
                labels[key] = value
                if rest.first == "," { rest = rest.dropFirst() }
            }
            guard rest.first == "}" else { return nil }
            rest = rest.dropFirst()
        }
        guard let number = rest.split(separator: " ").first, let value = Double(number) else { return nil }
        return Sample(name: name, labels: labels, value: value)
    }

    /// Takes a value in quotation marks from the beginning of `rest`.
    private static func quoted(_ rest: inout Substring) -> String? {
        guard rest.first == "\"" else { return nil }
        rest = rest.dropFirst()
        var value = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return value
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped == "n" ? "\n" : escaped)
            default: value.append(character)
            }
        }
        return nil
    }
}

/// The two text formats that programs which collect metrics read.
package enum ExpositionFormat: Sendable {
    /// Prometheus' text format 0.0.4.
    case prometheus
    /// OpenMetrics 1.0.
    case openMetrics

    package var contentType: String {
        switch self {
        case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
        case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
        }
    }

    /// OpenMetrics for a client that wants it at least as much as the other format (RFC 9110 §12.5.1).
    ///
    /// - Parameter accept: the header `Accept`; `nil`: there is none.
    package init(accept: String?) {
        var wanted: (openMetrics: Double, text: Double) = (0, 0)
        for range in (accept ?? "").split(separator: ",").prefix(Self.rangesMax) {
            let parts = range.split(separator: ";").map { Self.trimmed($0).lowercased() }
            let parameters = parts.dropFirst().map { $0.split(separator: "=", maxSplits: 1).map { Self.trimmed($0) } }
            func value(_ name: String) -> String? {
                parameters.first { $0.count == 2 && $0[0] == name }.map { $0[1].filter { $0 != "\"" } }
            }
            let quality = value("q").map { Double($0) ?? 0 } ?? 1
            switch parts.first {
            case "application/openmetrics-text" where ["1.0.0", nil].contains(value("version")):
                wanted.openMetrics = max(wanted.openMetrics, quality)
            case "text/plain", "text/*", "*/*": wanted.text = max(wanted.text, quality)
            default: break
            }
        }
        self = wanted.openMetrics > 0 && wanted.openMetrics >= wanted.text ? .openMetrics : .prometheus
    }

    /// Most ranges that are read.
    private static let rangesMax = 32

    private static func trimmed(_ text: Substring) -> String {
        var rest = text[...]
        while let first = rest.first, first == " " || first == "\t" { rest = rest.dropFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest = rest.dropLast() }
        return String(rest)
    }
}

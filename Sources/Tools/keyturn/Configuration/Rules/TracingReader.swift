private import Foundation
private import KeyturnBase

/// Reads `tracing`: where the traces of requests go. Without an endpoint there are none.
///
/// OpenTelemetry's own variables hold where the file says nothing: `OTEL_EXPORTER_OTLP_ENDPOINT`,
/// `OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_SERVICE_NAME`.
enum TracingReader {
    static let keys = ["endpoint", "sample_ratio", "headers"]
    private static let endpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT"
    private static let headersVariable = "OTEL_EXPORTER_OTLP_HEADERS"
    private static let headersMax = 16

    static func read(_ section: Section?, _ reading: ConfigurationReading) -> TracingConfiguration? {
        if let section, !section.has("endpoint"), !section.keys.isEmpty,
            reading.environment[endpointVariable]?.isEmpty != false
        {
            section.warning(
                section.keys[0], "nothing is traced without an endpoint",
                "Add endpoint, such as https://collector.example.com:4318.")
        }
        guard let place = endpoint(section, reading) else { return nil }
        let headers = headers(section, reading)
        guard isProtected(place, headers, reading) else { return nil }
        var tracing = TracingConfiguration(endpoint: whole(place.value))
        tracing.headers = headers
        tracing.sampleRatio = section.flatMap(ratio) ?? TracingConfiguration.sampleRatioUnlessGiven
        if let name = reading.environment["OTEL_SERVICE_NAME"], !name.isEmpty {
            tracing.serviceName = String(name.prefix(ConfigurationLimits.nameBytesMax))
        }
        return tracing
    }

    private static func endpoint(_ section: Section?, _ reading: ConfigurationReading) -> Located<String>? {
        if let text = section?.text("endpoint") {
            return reading.check(refusal(of: text.value), text) ? text : nil
        }
        guard section?.has("endpoint") != true, let value = reading.environment[endpointVariable], !value.isEmpty else {
            return nil
        }
        let text = Located(
            value: value, path: endpointVariable, origin: ConfigurationProblem.Origin.environment(endpointVariable))
        return reading.check(refusal(of: value), text) ? text : nil
    }

    private static func refusal(of text: String) -> Refusal? {
        guard let parts = URIParts(text), ["http", "https"].contains(parts.scheme), parts.host != nil,
            parts.userinfo == nil, parts.query == nil, parts.fragment == nil
        else {
            return Refusal(
                "it is not the address of a collector",
                "Write it like https://collector.example.com:4318; \(TracingConfiguration.path) is added.")
        }
        return nil
    }

    private static func whole(_ base: String) -> String {
        let base = base.hasSuffix("/") ? String(base.dropLast()) : base
        return base.hasSuffix(TracingConfiguration.path) ? base : base + TracingConfiguration.path
    }

    /// Spans hold no secret, but headers may.
    private static func isProtected(
        _ place: Located<String>, _ headers: [(name: String, value: Secret)], _ reading: ConfigurationReading
    ) -> Bool {
        guard let parts = URIParts(place.value), parts.scheme == "http", !parts.isLoopback else { return true }
        guard headers.isEmpty else {
            reading.mistake(
                place.path, at: place.origin, "headers would travel unprotected", "Use https, or remove the headers.")
            return false
        }
        reading.warning(
            place.path, at: place.origin, "spans travel unprotected", "Use https, unless the network is your own.")
        return true
    }

    private static func ratio(_ section: Section) -> Double? {
        guard let text = section.text("sample_ratio") else { return nil }
        guard let ratio = Double(text.value), (0...1).contains(ratio) else {
            section.mistake(
                "sample_ratio", "\"\(Printable.text(text.value))\" is not a share",
                "Write a number from 0 to 1: 0.1 keeps every tenth trace.")
            return nil
        }
        return ratio
    }

    private static func headers(
        _ section: Section?, _ reading: ConfigurationReading
    ) -> [(name: String, value: Secret)] {
        guard let section, section.has("headers") else { return environmentHeaders(reading) }
        guard let headers = section.section("headers", keys: nil) else { return [] }
        if headers.keys.count > headersMax {
            section.mistake("headers", "there are more than \(headersMax)", "Keep those that the collector needs.")
        }
        return headers.keys.prefix(headersMax).compactMap { name in
            guard let value = headers.text(name) else { return nil }
            guard isHeader(name, value.value) else {
                headers.mistake(name, "it is not a header", "Write \"Name: value\", without line breaks.")
                return nil
            }
            return (name, Secret(value.value))
        }
    }

    /// `name=value` with commas between, the values percent-encoded.
    private static func environmentHeaders(_ reading: ConfigurationReading) -> [(name: String, value: Secret)] {
        (reading.environment[headersVariable] ?? "").split(separator: ",").prefix(headersMax).compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let value = parts[1].removingPercentEncoding, isHeader(parts[0], value) else {
                reading.mistake(
                    headersVariable, at: .environment(headersVariable), "it is not a list of headers",
                    "Write name=value, with commas between.")
                return nil
            }
            return (parts[0], Secret(value))
        }
    }

    /// RFC 9110 §5.1 and §5.5.
    private static func isHeader(_ name: String, _ value: String) -> Bool {
        let isToken = { (byte: UInt8) in
            byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
        }
        return !name.isEmpty && name.utf8.allSatisfy(isToken)
            && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }
}

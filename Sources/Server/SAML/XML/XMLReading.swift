internal import XMLSecurity

extension XMLElement {
    /// Builds elements in the order of the document.
    private final class Builder {
        var open: [XMLElement] = []
        var root: XMLElement?

        func last(_ change: (inout XMLElement) -> Void) {
            guard !open.isEmpty else { return }
            change(&open[open.count - 1])
        }

        func close() {
            guard let element = open.popLast() else { return }
            if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
        }
    }

    /// Reads a document strictly: UTF-8, no document type, no entities, no processing instructions, bounded in every
    /// direction (wire sheet §3.2, checks 2 and 3).
    ///
    /// - Throws: ``SAMLFault``.
    package static func read(_ bytes: [UInt8]) throws(SAMLFault) -> XMLElement {
        try XMLLibrary.start()
        guard String(validating: bytes, as: UTF8.self) != nil else { throw SAMLFault("encoding") }
        let builder = Builder()
        var reader = unsafe xml_reader(
            open: { unsafe XMLElement.open($0, $1, $2) }, attribute: { unsafe XMLElement.attribute($0, $1, $2, $3) },
            text: { unsafe XMLElement.text($0, $1) }, close: { unsafe XMLElement.builder($0)?.close() })
        let code = unsafe xml_read(bytes, bytes.count, &reader, Unmanaged.passUnretained(builder).toOpaque())
        try XMLLibrary.check(code)
        guard let root = builder.root else { throw SAMLFault("malformed") }
        return root
    }

    private typealias Text = UnsafePointer<CChar>

    private static func builder(_ context: UnsafeMutableRawPointer?) -> Builder? {
        unsafe context.map { unsafe Unmanaged<Builder>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func string(_ text: Text?) -> String? {
        unsafe text.map { unsafe String(cString: $0) }
    }

    private static func open(_ context: UnsafeMutableRawPointer?, _ space: Text?, _ name: Text?) {
        unsafe builder(context)?.open.append(XMLElement(space: string(space), name: string(name) ?? ""))
    }

    private static func attribute(_ context: UnsafeMutableRawPointer?, _ space: Text?, _ name: Text?, _ value: Text?) {
        let attribute = unsafe Attribute(space: string(space), name: string(name) ?? "", value: string(value) ?? "")
        unsafe builder(context)?.last { $0.attributes.append(attribute) }
    }

    private static func text(_ context: UnsafeMutableRawPointer?, _ text: Text?) {
        let text = unsafe string(text) ?? ""
        unsafe builder(context)?.last { $0.text += text }
    }
}

internal import Crypto
internal import Foundation
package import KeyturnBase

/// The browser's half of the passkey service, for sites that keep their own users: one source in two forms, and its
/// types. Made once.
package struct BrowserClient: Sendable {
    /// One form of it.
    package struct File: Sendable {
        /// The last part of ``path``, which also says what it is.
        package let name: String
        package let content: [UInt8]
        let contentType: String
        /// The beginning of the content's SHA-256 digest, in hexadecimal.
        let tag: String
        /// What an `integrity` attribute says (Subresource Integrity §3.5).
        package let integrity: String

        fileprivate init(_ name: String, _ contentType: String, _ content: String) {
            self.name = name
            self.contentType = contentType
            self.content = Array(content.utf8)
            tag = Base16.encode(SHA256.hash(data: self.content).prefix(8))
            integrity = "sha384-\(Data(SHA384.hash(data: self.content)).base64EncodedString())"
        }

        /// The address that stays: what it answers may change with each release.
        package var path: String { "\(BrowserClient.folder)/\(name)" }

        /// The address of this content and no other, for pages that name its ``integrity``.
        package var pinnedPath: String {
            let ending = name.firstIndex(of: ".") ?? name.endIndex
            return "\(BrowserClient.folder)/\(name[..<ending])-\(tag)\(name[ending...])"
        }
    }

    /// Where the files are. A client that pages would have to be changed for gets another folder.
    package static let folder = "/js/v1"
    /// Their list, as ``json`` has it.
    static let listPath = "\(folder)/passkeys.json"

    private static let javaScript = "text/javascript; charset=utf-8"
    private static let source = String(decoding: PackageResources.passkeys_mjs, as: UTF8.self)

    /// For `import` and `<script type="module">`.
    package static let module = File("passkeys.mjs", javaScript, source)
    /// For `<script>`: the same in the global names `Keyturn` and `SnapAuth`.
    package static let script = File("passkeys.js", javaScript, classic(source))
    /// The module's types, for TypeScript.
    package static let types = File(
        "passkeys.d.mts", "text/plain; charset=utf-8",
        String(decoding: PackageResources.passkeys_d_mts, as: UTF8.self))
    package static let files = [module, script, types]

    /// Addresses and integrity hashes of the files.
    package static let json: JSONValue = [
        "files": .array(
            files.map { file in
                [
                    "name": .string(file.name), "path": .string(file.path), "pinnedPath": .string(file.pinnedPath),
                    "integrity": .string(file.integrity), "bytes": .integer(Int64(file.content.count)),
                ]
            })
    ]

    /// A module as a classic script: its own address is read in another way, and what it exports becomes global.
    private static func classic(_ module: String) -> String {
        let changes = [
            ("import.meta.url", "document.currentScript?.src"),
            ("export { SDK };\n", "globalThis.Keyturn = { SDK };\nglobalThis.SnapAuth ??= globalThis.Keyturn;\n"),
        ]
        let body = changes.reduce(module) { text, change in
            precondition(text.ranges(of: change.0).count == 1, "the module has \(change.0) once")
            return text.replacing(change.0, with: change.1)
        }
        return "(() => {\n\"use strict\";\n\(body)})();\n"
    }
}

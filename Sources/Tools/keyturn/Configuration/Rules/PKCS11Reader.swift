private import Foundation
private import KeyturnBase

/// Reads `pkcs11`: a token for signing keys.
enum PKCS11Reader {
    static let keys = ["module", "token", "pin", "pin_file"]
    /// PKCS #11 v2.40: a label has 32 bytes.
    private static let labelBytesMax = 32

    static func read(_ section: Section?) -> PKCS11Configuration? {
        guard let section, !section.keys.isEmpty else { return nil }
        let module = section.text("module")?.value
        let token = section.text("token")?.value
        if module == nil, !section.has("module") {
            section.mistake(
                "module", "it is missing", "Name the module's file, such as /usr/lib/softhsm/libsofthsm2.so.")
        }
        if token == nil, !section.has("token") {
            section.mistake("token", "it is missing", "Name the token's label, as pkcs11-tool --list-slots shows it.")
        }
        if let module, !module.hasPrefix("/") {
            section.mistake("module", "it is no whole path", "Write the path from the root of the file system.")
        }
        if let token, token.utf8.count > labelBytesMax {
            section.mistake("token", "a label has at most \(labelBytesMax) bytes", "Name the token's own label.")
        }
        guard let pin = pin(section), let module, let token else { return nil }
        return PKCS11Configuration(module: module, token: token, pin: pin)
    }

    private static func pin(_ section: Section) -> Secret? {
        guard section.has("pin_file") else {
            if let pin = section.secret("pin") { return pin }
            if !section.has("pin") {
                section.mistake("pin_file", "there is no PIN", "Name a file, or set KEYTURN_PKCS11_PIN.")
            }
            return nil
        }
        guard !section.has("pin") else {
            section.mistake("pin", "there is a pin_file as well", "Keep one of the two.")
            return nil
        }
        guard let path = section.text("pin_file")?.value else { return nil }
        guard let text = ConfigurationFile.text(path) else {
            section.mistake("pin_file", "\(Printable.text(path)) cannot be read", "Check its path and its rights.")
            return nil
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        if let mode = attributes?[.posixPermissions] as? Int, mode & 0o077 != 0 {
            section.warning(
                "pin_file", "others can read \(Printable.text(path))", "Say chmod 600, for its owner alone.")
        }
        let pin = text.trimmingCharacters(in: .newlines)
        guard !pin.isEmpty else {
            section.mistake("pin_file", "\(Printable.text(path)) is empty", "Write the user's PIN into it.")
            return nil
        }
        return Secret(pin)
    }
}

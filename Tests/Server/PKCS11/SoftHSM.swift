import CPKCS11
import Foundation
import KeyturnBase
import Testing

@testable import PKCS11

/// SoftHSM, a module without hardware, with tokens of its own for this process: it reads its configuration once.
enum SoftHSM {
    static let module = "/usr/lib/softhsm/libsofthsm2.so"
    static let pin = Secret("123456")
    /// Labels of the tokens. The second is for the test that ends sessions, the last for the one that signs in wrongly.
    static let labels = ["keyturn", "restless", "of a label that has 32 bytes: ok", "guarded"]

    static let isInstalled = FileManager.default.fileExists(atPath: module)

    /// Makes the tokens before the module is loaded, which sees no later ones.
    private static let prepared: Bool = {
        let folder = NSTemporaryDirectory() + "keyturn-softhsm-\(getpid())"
        let tokens = folder + "/tokens"
        try? FileManager.default.createDirectory(atPath: tokens, withIntermediateDirectories: true)
        let file = folder + "/softhsm2.conf"
        let text = "directories.tokendir = \(tokens)\nobjectstore.backend = file\nlog.level = ERROR\n"
        try? text.write(toFile: file, atomically: true, encoding: .utf8)
        unsafe setenv("SOFTHSM2_CONF", file, 1)
        return labels.allSatisfy { label in
            let tool = Process()
            tool.executableURL = URL(fileURLWithPath: "/usr/bin/softhsm2-util")
            tool.arguments = [
                "--init-token", "--free", "--label", label, "--so-pin", "87654321", "--pin", pin.exposed(),
            ]
            tool.standardOutput = FileHandle.nullDevice
            guard (try? tool.run()) != nil else { return false }
            tool.waitUntilExit()
            return tool.terminationStatus == 0
        }
    }()

    /// Ends the sessions of this process with a token that is used by nothing else now.
    static func endSessions(of label: String) throws {
        let module = try unsafe #require(keyturn_p11(bitPattern: try PKCS11Modules.load(module)))
        var slot: CK_SLOT_ID = 0
        try #require(unsafe keyturn_p11_slot(module, label, &slot) == CKR_OK)
        unsafe keyturn_p11_close_all(module, slot)
    }

    /// Changes the PIN of a token that is used by nothing else now.
    static func change(_ pin: Secret, of label: String, from old: Secret) throws {
        let module = try unsafe #require(keyturn_p11(bitPattern: try PKCS11Modules.load(module)))
        try endSessions(of: label)
        var (slot, session): (CK_SLOT_ID, CK_SESSION_HANDLE) = (0, 0)
        var (former, next) = (Array(old.exposed().utf8), Array(pin.exposed().utf8))
        let (count, nextCount) = (CK_ULONG(former.count), CK_ULONG(next.count))
        try #require(unsafe keyturn_p11_slot(module, label, &slot) == CKR_OK)
        try #require(unsafe keyturn_p11_open(module, slot, former, count, &session) == CKR_OK)
        let set = try unsafe #require(module.pointee.C_SetPIN)
        #expect(unsafe set(session, &former, count, &next, nextCount) == CKR_OK)
        try endSessions(of: label)
    }

    static func token(_ label: String = labels[0], pin: Secret = pin) throws -> PKCS11Token {
        try #require(prepared, "softhsm2-util made no tokens")
        return try PKCS11Token(module: module, token: label, pin: pin, ambient: .live)
    }
}

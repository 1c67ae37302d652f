"""Shows that each check fails when it should: faults are planted into the real sources, in memory."""

import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

import adapters
import stand_ins
from facts import FOLDER, MISSING, PLATFORMS, Facts, deployment_targets, from_ios
from swift_source import Condition, active_lines, raised

_spec = spec_from_loader("check", SourceFileLoader("check", str(FOLDER / "check")))
check = module_from_spec(_spec)
_spec.loader.exec_module(check)

TABLE = (FOLDER / "symbols.tsv").read_text()
FACTS = Facts(TABLE)
TARGETS = deployment_targets((check.ROOT / "Package.swift").read_text())
ADAPTERS = check.adapter_sources(check.ROOT)
STAND_INS = check.stand_in_sources(check.ROOT)

# File, what stands there, what is planted, and a part of what must be said.
IN_STAND_INS = [
    ("Security/SecItem", '"svce"', '"serv"', "kSecAttrService is 'svce'"),
    ("Security/SecItem", "kSecAttrAccount:", "kSecAttrAcount:", "kSecAttrAcount is not in the table"),
    ("Security/StandInKeychain", "-25_299", "-25_298", "-25_298 is no status"),
    ("Security/SecKey", "rawValue: 1 << 3", "rawValue: 1 << 2", "biometryCurrentSet is 8, not 4"),
    ("LocalAuthentication/LocalAuthentication", "= -1004", "= -1005", "notInteractive is -1004"),
    ("LocalAuthentication/LocalAuthentication", '"com.apple.LocalAuthentication"', '"com.apple.LA"', "the domain of"),
    ("LocalAuthentication/LocalAuthentication", "biometryLockout: Code { .touchIDLockout }",
     "biometryLockout: Code { .touchIDNotEnrolled }", "biometryLockout is -8, not -7"),
    ("LocalAuthentication/LocalAuthentication", "localizedReason: String, reply", "reason: String, reply",
     "evaluatePolicy(_:reason:reply:) is not in the table"),
    ("AuthenticationServices/Passkeys", "case unknown = 1_000", "case unknown = 1_001", "unknown is 1000"),
    ("AuthenticationServices/Passkeys", "case standard, conditional", "case conditional, standard", "is 1, not 0"),
    ("AuthenticationServices/Passkeys", "init(relyingPartyIdentifier: String)", "init(rpID: String)",
     "init(rpID:) is not in the table"),
    ("AuthenticationServices/Passkeys", "func performAutoFillAssistedRequests()",
     "func performAutofillAssistedRequests()", "performAutofillAssistedRequests() is not in the table"),
    ("AuthenticationServices/Passkeys", "var displayName: String?", "var displayedName: String?",
     "displayedName is not in the table"),
    ("SwiftUI/Modifiers", "func onOpenURL(perform action", "func onOpenUrl(perform action",
     "View.onOpenUrl(perform:) is not in the table"),
    ("SwiftUI/Modifiers", "of value: Value, initial", "value: Value, initial",
     "View.onChange(value:initial:_:) is not in the table"),
    ("SwiftUI/Views", "public struct TextField:", "public struct EntryField:", "EntryField is not in the table"),
    ("UI/Sources/UIKit/UIKit", "func didMoveToWindow()", "func didMove()", "UIView.didMove() is not in the table"),
    ("AuthenticationServices/WebSession", "class ASWebAuthenticationSession:", "class ASWebAuthSession:",
     "ASWebAuthSession is not in the table"),
]

IN_ADAPTERS = [
    ("AppleRequests", "#if !os(tvOS) && !os(visionOS)", "#if !os(tvOS)", "visionOS: ", "excludedCredentials is not"),
    ("AppleRequests", "if #available(iOS 17.4, *), !options", "if !options", "iOS: ", "is there from 17.4 on"),
    ("AppleRequests", "        #if !os(tvOS)\n            private static func attestation", "        #if true_\n"
     "        #else\n            private static func attestation", "tvOS: ", "AttestationKind is not there"),
    ("AppleRequests", "if #available(iOS 18, macOS 15, visionOS 2, *) {\n                    request = provider",
     "if Bool.random() {\n                    request = provider", "iOS: ",
     "createCredentialRegistrationRequest is there from 18.0 on"),
    ("AppleOutcome", "#if os(tvOS)\n            //", "#if os(watchOS)\n            //", "tvOS: ", "attachment is not"),
    ("AppleRecognition", "&& !os(watchOS)", "", "watchOS: ", "WithBiometrics is not there"),
    ("AppleRecognition", "&& !os(tvOS)", "", "tvOS: ", "LAContext is not there"),
    ("AppleCeremony", "#elseif os(macOS) || targetEnvironment(macCatalyst)", "#elseif os(macOS)", "Catalyst: ",
     "performAutoFillAssistedRequests is not there"),
    ("AppleCeremony", "if #available(tvOS 18, *) { controller.cancel() }", "controller.cancel()", "tvOS: ",
     "cancel is there from 18.0 on, and this runs on 17.0"),
    ("AppleCeremony", "#if os(tvOS)\n                controller.performRequests()\n            #elseif",
     "#if", "tvOS: ", "performRequests is not there"),
    ("WebSession", "&& !os(tvOS)", "", "tvOS: ", "ASWebAuthenticationSession.cancel is not there"),
    ("WebSession", "guard #available(iOS 17.4, visionOS 1.1, *) else {\n                guard case",
     "guard Bool.random() else {\n                guard case", "visionOS: ", "is there from 1.1 on"),
    ("WebSession", "callbackURLScheme: scheme", "scheme: scheme", "", "is not in the table"),
    ("SystemKeychain", "kSecAttrGeneric as String", "kSecAttrLabel as String", "", "kSecAttrLabel is not in the table"),
    ("ApplePasskeys", "private let anchor:", "let x = ASAuthorizationSingleSignOnProvider()\n private let anchor:", "",
     "ASAuthorizationSingleSignOnProvider is not in the table"),
    ("AppleCeremony", "controller.delegate = nil", "controller.delegated = nil", "",
     "ASAuthorizationController.delegated"),
    ("AppleFailure", "case .notHandled:", "case .notInteractive:", "tvOS: ", "notInteractive is not there"),
    ("AppleFailure", "case .notHandled:", "case .matchedExcludedCredential:", "iOS: ", "is there from 18.0 on"),
    ("AppleRecognition", "== .faceID", "== .faceId", "", "LABiometryType.faceId is not in the table"),
    ("AppleAnchor", "&& !os(watchOS)", "", "watchOS: ", "UIApplication is not there"),
    ("MacAnchor", "&& !targetEnvironment(macCatalyst)", "", "Catalyst: ", "NSApplication is not there"),
    ("WindowReader", "canImport(UIKit) && !os(watchOS)", "canImport(UIKit)", "watchOS: ",
     "UIViewRepresentable is not there"),
    ("WindowReader", "&& !targetEnvironment(macCatalyst)", "", "Catalyst: ", "NSViewRepresentable is not there"),
    ("WindowReader", "&& canImport(AppKit) && !targetEnvironment(macCatalyst)", "", "iOS: ",
     "NSViewRepresentable is not there"),
    ("ViewControllers", "viewController.viewIfLoaded", "viewController.loadedView", "",
     "UIViewController.loadedView is not in the table"),
    ("ViewControllers", "NSUserActivityTypeBrowsingWeb", "NSUserActivityTypeBrowsing", "", "is not in the table"),
    ("CoarseClock", "CLOCK_MONOTONIC_RAW_APPROX) /", "CLOCK_UPTIME_RAW_APPROX) /", "", "is not in the table"),
]

IN_NUMBERS = [
    ("KeychainStatus", "rawValue: -25_300", "rawValue: -25_301", "errSecItemNotFound is -25300"),
    ("SecurityFailure", "case canceledByUser = -4", "case canceledByUser = -3", "canceledByUser is -4"),
    ("SecurityFailure", "case userCancel = -2", "case userCancelled = -2", "userCancelled is not in the table"),
]


def planted(sources, name, old, new):
    """The file of that name with the fault in it, and its path."""
    path = next(path for path in sources if path.endswith(f"/{name}.swift"))
    assert sources[path].count(old) >= 1, f"{name}: {old!r} is gone: plant it elsewhere"
    return path, sources[path].replace(old, new, 1)


class Sources(unittest.TestCase):
    def test_as_they_are(self):
        self.assertEqual(check.problems_of()[0], [])

    def test_faults_in_stand_ins(self):
        for name, old, new, said in IN_STAND_INS:
            with self.subTest(old):
                path, source = planted(STAND_INS, name, old, new)
                self.assertIn(said, "\n".join(stand_ins.check(source, FACTS, path)))

    def test_faults_in_adapters(self):
        ours = set().union(*(adapters.names_of_members(source) for source in ADAPTERS.values()))
        for name, old, new, platform, said in IN_ADAPTERS:
            with self.subTest(old):
                path, source = planted(ADAPTERS, name, old, new)
                problems, _ = adapters.lint(source, FACTS, TARGETS, path, ours)
                self.assertTrue(any(platform in problem and said in problem for problem in problems), problems)

    def test_faults_in_numbers(self):
        for name, old, new, said in IN_NUMBERS:
            with self.subTest(old):
                path, source = planted(ADAPTERS, name, old, new)
                self.assertIn(said, "\n".join(adapters.check_numbers(source, FACTS, path)))

    def test_a_type_that_vanishes(self):
        path, source = planted(ADAPTERS, "AppleDeviceInfo", "canImport(Security)", "canImport(LocalAuthentication)")
        problems = adapters.vanished(ADAPTERS | {path: source}, FACTS)
        self.assertIn("tvOS: AppleDeviceInfo is compiled out there", "\n".join(problems))
        path, source = planted(ADAPTERS, "KeyturnRoot", "canImport(UIKit) && !os(watchOS)", "canImport(UIKit)")
        problems = adapters.vanished(ADAPTERS | {path: source}, FACTS)
        self.assertIn("watchOS: SceneWindowReader is compiled out there", "\n".join(problems))

    def test_a_view_that_is_too_new(self):
        later = TABLE.replace("View.onOpenURL(perform:)\tmethod\t\t\t14.0", "View.onOpenURL(perform:)\tmethod\t\t\t18.0")
        path, source = planted(ADAPTERS, "KeyturnRoot", "", "")
        problems, _ = adapters.lint(source, Facts(later), TARGETS, path)
        self.assertIn("iOS: onOpenURL is there from 18.0 on", "\n".join(problems))


class Table(unittest.TestCase):
    def test_faults(self):
        selector = TABLE.replace("performRequestsWithOptions:", "performRequestsUsingOptions:")
        path, source = planted(STAND_INS, "Passkeys", "", "")
        self.assertIn("is not what performRequestsUsingOptions: is", "\n".join(
            stand_ins.check(source, Facts(selector), path)))
        row = next(line for line in TABLE.splitlines() if line.startswith("kSecAttrService"))
        for wrong in (row, row.replace("2.0", "two"), row.replace("header", "memory"), row + "\tmore",
                      row.replace("2.0", "-")):
            with self.subTest(wrong), self.assertRaises(ValueError):
                Facts(TABLE + wrong + "\n")

    def test_what_other_systems_take_from_ios(self):
        self.assertEqual(from_ios("visionOS", (17, 4, 0)), (1, 1, 0))
        self.assertEqual(from_ios("visionOS", (9, 0, 0)), (1, 0, 0))
        self.assertEqual(from_ios("watchOS", (17, 4, 0)), (10, 4, 0))
        self.assertEqual(from_ios("Catalyst", (9, 0, 0)), (13, 1, 0))
        self.assertIs(FACTS.get("LAContext").since["tvOS"], MISSING)
        self.assertEqual(TARGETS["Catalyst"], TARGETS["iOS"])


class Swift(unittest.TestCase):
    def test_conditions(self):
        def where(text):
            return [platform for platform in PLATFORMS
                    if Condition(platform, lambda module: module == "Security").holds(text)]

        self.assertEqual(where("os(iOS)"), ["iOS", "Catalyst"])
        self.assertEqual(where("os(iOS) && !targetEnvironment(macCatalyst)"), ["iOS"])
        self.assertEqual(where("os(macOS) || targetEnvironment(macCatalyst)"), ["Catalyst", "macOS"])
        self.assertEqual(where("!(os(macOS) || os(iOS)) && canImport(Security)"), ["tvOS", "watchOS", "visionOS"])
        self.assertEqual(where("canImport(Glibc) || os(Linux) || KEYTURN_TSAN"), [])
        text = "#if os(iOS)\na\n#elseif os(tvOS)\nb\n#else\n#if os(macOS)\nc\n#endif\nd\n#endif\ne"

        def active(platform):
            lines = active_lines(text, Condition(platform, lambda module: True))
            return "".join(line for line, is_active in zip(text.splitlines(), lines) if is_active)

        self.assertEqual([active(platform) for platform in PLATFORMS], ["ae", "ae", "cde", "be", "de", "de"])

    def test_newer_systems(self):
        text = ("@available(iOS 18, *) func f() { A }\nfunc g() {\n B\n"
                " if #available(iOS 19, *), x({ 1 }) { C } else { D }\n"
                " guard #available(iOS 20, tvOS 21, *) else { E }\n F\n}\nG\n")

        def at(letter, platform):
            position = text.index(letter)
            found = [systems[platform] for start, end, systems in raised(text)
                     if start <= position < end and platform in systems]
            return max(found)[0] if found else None

        self.assertEqual([at(letter, "iOS") for letter in "ABCDEFG"], [18, None, 19, None, None, 20, None])
        self.assertEqual(at("F", "tvOS"), 21)
        self.assertEqual(at("F", "Catalyst"), 20)
        self.assertIsNone(at("F", "macOS"))

    def test_import_rules(self):
        right = [
            ("initWithURL:callback:completionHandler:", "init(url:callback:completionHandler:)", ["URL", "C", "H"]),
            ("performRequestsWithOptions:", "performRequests(options:)", ["RequestOptions"]),
            ("canEvaluatePolicy:error:", "canEvaluatePolicy(_:error:)", ["LAPolicy", "E"]),
            ("presentationAnchorForWebAuthenticationSession:", "presentationAnchor(for:)",
             ["ASWebAuthenticationSession"]),
            ("cancel", "cancel()", []),
        ]
        wrong = [
            ("performRequestsWithOptions:", "performRequests(_:)", ["RequestOptions"]),
            ("presentationAnchorForWebAuthenticationSession:", "presentationAnchor(for:)",
             ["ASAuthorizationController"]),
            ("canEvaluatePolicy:error:", "canEvaluatePolicy(_:failure:)", ["LAPolicy", "E"]),
            ("cancel", "cancelled()", []),
        ]
        for cases, expected in ((right, True), (wrong, False)):
            for selector, swift, argument_types in cases:
                with self.subTest(swift):
                    self.assertEqual(stand_ins.is_selector(selector, swift, argument_types), expected)


if __name__ == "__main__":
    unittest.main()

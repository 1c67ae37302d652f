internal import Foundation
internal import Model

extension MessageTemplates {
    /// Reads a folder, and says everything that is wrong with it.
    ///
    /// - Returns: `templates` holds the files that are right.
    public static func read(folder: String) -> (templates: MessageTemplates, flaws: [Flaw]) {
        var reading = TemplateFolder(root: folder)
        reading.readAll()
        return (MessageTemplates(words: reading.words), reading.flaws)
    }
}

/// Reads the files of a folder of templates.
private struct TemplateFolder {
    typealias Flaw = MessageTemplates.Flaw
    typealias Part = MessageTemplates.Part

    let root: String
    var words: [MessageTemplates.Key: [String: MessageTemplates.Words]] = [:]
    var flaws: [Flaw] = []

    private static let naming =
        "Name it KIND.LANGUAGE.txt, .html, .sms.txt or .voice.txt, such as code.en.txt, in a folder for each template."

    mutating func readAll() {
        guard let folders = Self.contents(root) else {
            flaws.append(Flaw(file: "", line: nil, detail: "it cannot be read", remedy: "Name a folder of templates."))
            return
        }
        var count = 0
        for id in folders {
            guard TemplateCheck.isName(id), let names = Self.contents("\(root)/\(id)") else {
                note(id, "it is not a folder of a template", Self.naming)
                continue
            }
            for name in names {
                count += 1
                guard count <= DeliveryLimits.templateFilesMax else {
                    note("", "there are more than \(DeliveryLimits.templateFilesMax) files", "Name another folder.")
                    return
                }
                read(id, name)
            }
        }
        for (key, languages) in words where key.part == .page {
            let texts = words[.init(template: key.template, kind: key.kind, part: .mail)] ?? [:]
            for language in languages.keys where texts[language] == nil {
                note(
                    "\(key.template)/\(key.kind.rawValue).\(language).html", "the mail has no text",
                    "Add \(key.kind.rawValue).\(language).txt, with the subject in it.")
            }
        }
        flaws.sort { ($0.file, $0.line ?? 0) < ($1.file, $1.line ?? 0) }
    }

    private mutating func read(_ id: String, _ name: String) {
        let file = "\(id)/\(name)"
        let parts = name.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let kind = MessageKind(rawValue: parts[0]), let part = Part(rawValue: parts[2]),
            (2...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x61...0x7a).contains($0) })
        else {
            let kinds = MessageKind.allCases.map(\.rawValue).joined(separator: ", ")
            return note(file, "this is not the name of a template", "\(Self.naming) Kinds are: \(kinds).")
        }
        guard let source = Self.text("\(root)/\(file)") else {
            return note(
                file, "it cannot be read as UTF-8 of at most \(DeliveryLimits.templateBytesMax) bytes",
                "Write it anew, or let the server read it.")
        }
        do throws(MessageTemplate.Flaw) {
            let read = try Self.words(source, part)
            let lacking = Self.required(by: kind).filter { !read.body.mentions($0) }
            guard lacking.isEmpty else {
                let names = lacking.map { "{{\($0)}}" }.joined(separator: " and ")
                return note(file, "it lacks \(names)", "Without that nobody can do what the message is for.")
            }
            words[.init(template: id, kind: kind, part: part), default: [:]][parts[1]] = read
        } catch {
            flaws.append(Flaw(file: file, line: error.line, detail: error.detail, remedy: error.remedy))
        }
    }

    private mutating func note(_ file: String, _ detail: String, _ remedy: String) {
        flaws.append(Flaw(file: file, line: nil, detail: detail, remedy: remedy))
    }

    private static func words(_ source: String, _ part: Part) throws(MessageTemplate.Flaw) -> MessageTemplates.Words {
        guard part == .mail else {
            if part == .page, let script = source.lowercased().firstRange(of: "<script") {
                let line = source.lowercased()[..<script.lowerBound].count(where: \.isNewline) + 1
                throw MessageTemplate.Flaw(
                    line: line, detail: "a mail with a script is thrown away on its way", remedy: "Remove the script.")
            }
            return .init(subject: nil, body: try MessageTemplate(source, form: part == .page ? .html : .text))
        }
        let lines = source.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        let isSeparated = lines.count == 3 && lines[1].allSatisfy(\.isWhitespace)
        guard isSeparated, lines[0].hasPrefix("Subject:") else {
            throw MessageTemplate.Flaw(
                line: 1, detail: "a mail begins with its subject and an empty line",
                remedy: "Write \"Subject: …\", leave a line empty, and go on with the text.")
        }
        let subject = lines[0].dropFirst("Subject:".count).drop(while: \.isWhitespace)
        guard !subject.isEmpty else {
            throw MessageTemplate.Flaw(line: 1, detail: "the subject is empty", remedy: "Write one after \"Subject:\".")
        }
        // Lines are counted from the top of the file.
        let body = try Self.body(String(lines[2]))
        return .init(subject: try MessageTemplate(String(subject), form: .text), body: body)
    }

    private static func body(_ source: String) throws(MessageTemplate.Flaw) -> MessageTemplate {
        do throws(MessageTemplate.Flaw) {
            return try MessageTemplate(source, form: .text)
        } catch {
            throw MessageTemplate.Flaw(line: error.line + 2, detail: error.detail, remedy: error.remedy)
        }
    }

    /// What a message of a kind is of no use without.
    private static func required(by kind: MessageKind) -> [String] {
        switch kind {
        case .code, .recoveryProof: ["code"]
        case .magicLink, .passwordReset, .invitation, .recoveryBegun: ["link"]
        case .enchantedLink: ["number", "link"]
        case .verifyAddress: ["code", "link"]
        default: []
        }
    }

    /// Names in a folder, in order, hidden ones left out; `nil` if it is none.
    private static func contents(_ path: String) -> [String]? {
        (try? FileManager.default.contentsOfDirectory(atPath: path))?.filter { !$0.hasPrefix(".") }.sorted()
    }

    private static func text(_ path: String) -> String? {
        guard let file = FileHandle(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        guard let data = try? file.read(upToCount: DeliveryLimits.templateBytesMax + 1) ?? Data(),
            data.count <= DeliveryLimits.templateBytesMax, let text = String(data: data, encoding: .utf8)
        else { return nil }
        return text.replacing("\r\n", with: "\n")
    }
}

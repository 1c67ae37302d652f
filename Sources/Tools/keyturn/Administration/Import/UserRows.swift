internal import ArgumentParser
internal import KeyturnBase

/// How a file of users is written.
enum UserFileFormat: String, CaseIterable, ExpressibleByArgument {
    /// One JSON object a line.
    case jsonl
    /// Comma, semicolon or tab between the fields, names in the first line.
    case csv
}

/// The rows of a file of users, as JSON, whatever its format.
struct UserRows {
    private enum Source {
        case lines(LineReader)
        case records(CSVReader, CSVHeader)
    }

    private var source: Source
    private let firstLine: Int

    /// - Parameters:
    ///   - read: the next bytes of the file, none at its end.
    ///   - format: `nil`: as the first character says.
    ///   - firstLine: rows that begin before are passed over.
    /// - Throws: ``CommandFailure`` if the file as a whole cannot be read.
    init(_ read: @escaping () throws -> [UInt8], format: UserFileFormat?, firstLine: Int = 1) throws {
        var first = try Self.firstLine(read)
        if first.starts(with: [0xEF, 0xBB, 0xBF]) { first.removeFirst(3) }
        let format = try format ?? Self.format(of: first)
        var head: [UInt8]? = first
        let window = ByteWindow {
            if let bytes = head, !bytes.isEmpty {
                head = nil
                return bytes
            }
            return try read()
        }
        self.firstLine = firstLine
        switch format {
        case .jsonl: source = .lines(LineReader(window))
        case .csv:
            var reader = CSVReader(window, separator: CSVHeader.separator(in: first))
            guard let header = try reader.next() else { throw CommandFailure.refused("the file is empty.") }
            source = .records(reader, try CSVHeader(header))
        }
    }

    /// The next row; `nil` at the end.
    mutating func next() throws -> RawRow<[String: JSONValue]>? {
        while true {
            switch source {
            case .lines(var reader):
                let row = try reader.next()
                source = .lines(reader)
                guard let row else { return nil }
                if row.line >= firstLine { return row.map(Self.members) }
            case .records(var reader, let header):
                let row = try reader.next()
                source = .records(reader, header)
                guard let row else { return nil }
                if row.line >= firstLine { return row.map(header.members) }
            }
        }
    }

    /// The beginning of the file with its first line: a pipe may deliver it in pieces.
    private static func firstLine(_ read: () throws -> [UInt8]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= ImportLimits.rowBytesMax, !bytes.contains(UInt8(ascii: "\n")) {
            let more = try read()
            guard !more.isEmpty else { break }
            bytes += more
        }
        return bytes
    }

    private static func format(of first: [UInt8]) throws -> UserFileFormat {
        if first.starts(with: [0x1F, 0x8B]) {
            throw CommandFailure.refused("the file is compressed. Try: gunzip -c FILE | keyturn user import -")
        }
        if first.starts(with: [0xFF, 0xFE]) || first.starts(with: [0xFE, 0xFF]) {
            throw CommandFailure.refused("the file is UTF-16. Save it as UTF-8.")
        }
        guard let byte = first.first(where: { !" \t\r\n".utf8.contains($0) }) else { return .jsonl }
        guard byte != UInt8(ascii: "[") else {
            throw CommandFailure.refused(
                "the file is one JSON array; one object a line is needed. Try: jq -c '.[]' FILE | keyturn user import -"
            )
        }
        return byte == UInt8(ascii: "{") ? .jsonl : .csv
    }

    private static func members(_ line: ArraySlice<UInt8>) throws(Refusal) -> [String: JSONValue] {
        let limits = JSONValue.Limits(
            bytesMax: ImportLimits.rowBytesMax, depthMax: ImportLimits.depthMax, membersMax: ImportLimits.membersMax)
        let value: JSONValue
        do throws(JSONProblem) {
            value = try JSONValue(parsing: line, limits: limits)
        } catch {
            throw Refusal(for: error)
        }
        guard case .object(let members) = value else {
            throw Refusal("it is JSON, and no object", "Write one object a line.")
        }
        return members
    }
}

extension RawRow {
    /// The same row with its content read.
    func map<Other>(_ read: (Content) throws(Refusal) -> Other) -> RawRow<Other> {
        RawRow<Other>(
            line: line,
            content: content.flatMap { content in
                do throws(Refusal) { return .success(try read(content)) } catch { return .failure(error) }
            }, byteCount: byteCount)
    }
}

extension Refusal {
    /// Why a line is no JSON object of ours.
    init(for problem: JSONProblem) {
        let place = "at byte \(problem.offset + 1) of the line"
        switch problem.rule {
        case .invalidText: self = .notUTF8
        case .tooLarge: self = .rowTooLong
        case .tooDeep, .tooManyMembers, .tooLongName:
            self.init(
                "it is nested too deep, or its members are too many or have too long names, \(place)",
                "Leave out what does not belong.")
        case .duplicateMember: self.init("a name stands twice in one object, \(place)", "Keep one of them.")
        case .syntax, .trailingBytes:
            self.init("it is not one JSON object, \(place)", "Write one object a line, without a comma after it.")
        }
    }
}

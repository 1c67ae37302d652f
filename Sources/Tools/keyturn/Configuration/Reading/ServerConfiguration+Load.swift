private import Foundation

extension ServerConfiguration {
    /// Reads a configuration file.
    ///
    /// - Parameters:
    ///   - path: The file; `nil` for defaults and environment variables alone.
    ///   - environment: Variables that override keys of the file; see ``EnvironmentOverrides``.
    /// - Throws: ``ConfigurationProblems`` with every mistake, and the warnings beside them.
    static func load(path: String?, environment: [String: String]) throws(ConfigurationProblems) -> ServerConfiguration
    {
        guard let path else { return try parse(text: "", environment: environment, file: "environment") }
        let contents: Data
        do {
            contents = try bytes(ofFile: path)
        } catch {
            throw unreadable(path, "the file cannot be read", "Check its name, and that this user may read it.")
        }
        guard let text = String(validating: contents, as: UTF8.self) else {
            throw unreadable(path, "the file is not UTF-8 text", "Save it as UTF-8.")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return try parse(text: text, environment: environment, file: path, folder: folder)
    }

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - text: YAML 1.2 or JSON; at most 4 MiB.
    ///   - file: The name under which problems are reported.
    ///   - folder: Where files beside the configuration are; `nil`: in the working directory.
    /// - Throws: ``ConfigurationProblems`` with every mistake, and the warnings beside them.
    static func parse(
        text: String, environment: [String: String], file: String = "configuration", folder: String? = nil
    ) throws(ConfigurationProblems) -> ServerConfiguration {
        let reading = ConfigurationReading()
        reading.environment = environment
        reading.folder = folder
        guard let written = YAMLReader.read(text, reading: reading) else {
            throw ConfigurationProblems(file: file, all: reading.finish())
        }
        let root = EnvironmentOverrides.apply(environment, to: written, reading: reading)
        var configuration = ServerReader.read(root, reading: reading)
        let problems = reading.finish()
        guard problems.allSatisfy({ $0.severity == .warning }) else {
            throw ConfigurationProblems(file: file, all: problems)
        }
        configuration.warnings = problems
        return configuration
    }

    /// One byte more than is allowed at most, so that longer files are noticed without being read.
    private static func bytes(ofFile path: String) throws -> Data {
        let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? handle.close() }
        return try handle.read(upToCount: ConfigurationLimits.fileBytesMax + 1) ?? Data()
    }

    private static func unreadable(_ path: String, _ detail: String, _ remedy: String) -> ConfigurationProblems {
        let problem = ConfigurationProblem(severity: .mistake, origin: .whole, path: "", detail: detail, remedy: remedy)
        return ConfigurationProblems(file: path, all: [problem])
    }
}

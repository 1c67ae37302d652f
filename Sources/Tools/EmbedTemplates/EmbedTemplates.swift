import Foundation
import PackagePlugin

/// Compiles every `.mustache` file of a target into it, wherever it lies, or every `.json` file of texts: adding the file
/// is enough.
@main
struct EmbedTemplates: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target.sourceModule else { return [] }
        let tool = try context.tool(named: "TemplateTable").url
        return [("mustache", "PageTemplate"), ("json", "TextSource")].compactMap { ending, type in
            let files = target.sourceFiles(withSuffix: ".\(ending)").map(\.url).sorted { $0.path < $1.path }
            guard !files.isEmpty else { return nil }
            let output = context.pluginWorkDirectoryURL.appending(path: "\(type)+All.swift")
            return .buildCommand(
                displayName: "\(type)s of \(target.name)", executable: tool,
                arguments: [type, output.path] + files.map(\.path), inputFiles: files, outputFiles: [output])
        }
    }
}

/// Which folder of a target needs which other one, drawn from the code: an arrow for each type that a file names, and for
/// each member that an extension in another folder adds to a type.
///
/// Files beside the folders wire them together and have no arrows. A name that two folders declare draws none.
struct FolderArrows {
    /// A file, read.
    struct Source {
        /// From the root of the repository.
        let path: String
        let outline: SwiftOutline

        init(_ path: String, _ text: String) {
            self.path = path
            outline = SwiftOutline(text)
        }
    }

    struct Arrow: Equatable, CustomStringConvertible {
        let from: String
        let to: String
        let path: String
        /// Counted from 1.
        let line: Int
        /// What is named there.
        let name: String

        var description: String { "\(from) → \(to): \(path):\(line) names \(name)" }
    }

    /// By where they begin and where they end: the first place that draws each.
    private(set) var arrows: [String: [String: Arrow]] = [:]

    /// - Parameters:
    ///   - sources: Those of one target.
    ///   - folder: The target's.
    ///   - foreignMembers: What other targets call their members: the same name here may be one of them.
    init(_ sources: [Source], below folder: String, foreignMembers: Set<String> = []) {
        let files = sources.map { FolderFile($0, below: folder) }
        let names = FolderNames(files, foreignMembers: foreignMembers)
        for file in files where !file.folder.isEmpty { draw(file, names) }
    }

    private mutating func draw(_ file: FolderFile, _ names: FolderNames) {
        for (index, word) in file.outline.words.enumerated() where word.isName {
            guard let to = names.home(ofWordAt: index, in: file), to != file.folder, !to.isEmpty,
                arrows[file.folder]?[to] == nil
            else { continue }
            arrows[file.folder, default: [:]][to] = Arrow(
                from: file.folder, to: to, path: file.path, line: word.line, name: word.text)
        }
    }

    /// The circle with the fewest arrows, of those the first by name; empty if there is none.
    var shortestCircle: [Arrow] {
        arrows.keys.sorted().compactMap(circle).min { $0.count < $1.count } ?? []
    }

    /// The shortest way from a folder back to it.
    private func circle(through start: String) -> [Arrow]? {
        var ways: [[Arrow]] = [[]]
        var seen: Set<String> = []
        while !ways.isEmpty {
            var longer: [[Arrow]] = []
            for way in ways {
                let next = (arrows[way.last?.to ?? start] ?? [:]).values.sorted { $0.to < $1.to }
                for arrow in next {
                    if arrow.to == start { return way + [arrow] }
                    if seen.insert(arrow.to).inserted { longer.append(way + [arrow]) }
                }
            }
            ways = longer
        }
        return nil
    }
}

/// One file, and where it is.
private struct FolderFile {
    let path: String
    /// The first folder below the target's; empty beside the folders.
    let folder: String
    let outline: SwiftOutline
    /// The types that it declares, in any depth.
    let types: Set<String>
    /// Its constants, variables, parameters and labels.
    let locals: Set<String>

    init(_ source: FolderArrows.Source, below target: String) {
        path = source.path
        let steps = source.path.dropFirst(target.count + 1).split(separator: "/")
        folder = steps.count > 1 ? String(steps[0]) : ""
        outline = source.outline
        types = Set(outline.declarations.lazy.filter(\.isType).map(\.name))
        let words = outline.words
        locals = Set(
            words.indices.lazy.filter { index in
                index > 0 && ["let", "var"].contains(words[index - 1].text)
                    || index + 1 < words.count && words[index + 1].text == ":"
            }.map { words[$0].text })
    }
}

/// Where the names of one target are at home.
private struct FolderNames {
    /// What extensions add under one name to types of other folders or targets.
    private struct Attached {
        var folders: Set<String> = []
        var extended: Set<String> = []
    }

    /// The folders of each type that stands in no other.
    private var types: [String: Set<String>] = [:]
    /// The types that stand in others, by folder.
    private var nestedTypes: [String: Set<String>] = [:]
    private var attached: [String: Attached] = [:]

    init(_ files: [FolderFile], foreignMembers: Set<String>) {
        for file in files {
            for type in file.outline.declarations where type.isType {
                if type.outer.isEmpty {
                    types[type.name, default: []].insert(file.folder)
                } else {
                    nestedTypes[file.folder, default: []].insert(type.name)
                }
            }
        }
        var ambiguous = foreignMembers
        for file in files {
            for member in file.outline.declarations where !member.outer.isEmpty {
                if member.isInExtension, home(of: member.outer) != file.folder {
                    attached[member.name, default: Attached()].folders.insert(file.folder)
                    attached[member.name]?.extended.insert(member.outer)
                } else if !member.isType {
                    ambiguous.insert(member.name)
                }
            }
        }
        for name in ambiguous { attached[name] = nil }
    }

    /// The folder of a type; `nil` if the target has none of that name, or several.
    private func home(of type: String) -> String? {
        guard let name = type.split(separator: ".").first, let homes = types[String(name)], homes.count == 1 else {
            return nil
        }
        return homes.first
    }

    /// The folder that a word names something of; `nil` if none can be told.
    func home(ofWordAt index: Int, in file: FolderFile) -> String? {
        let words = file.outline.words
        let name = words[index].text
        let isMember = index > 0 && words[index - 1].text == "."
        if !isMember, words[index].startsUppercase, !file.types.contains(name),
            nestedTypes[file.folder]?.contains(name) != true, let home = home(of: name)
        {
            return home
        }
        guard let added = attached[name], added.folders.count == 1 else { return nil }
        // Without a point before it, a word is a member only where the file extends the same type, and has no such name
        // of its own.
        let isOwn = added.extended.isDisjoint(with: file.outline.extended) || file.locals.contains(name)
        return isMember || !isOwn ? added.folders.first : nil
    }
}

// Package jobs holds the source of the benchmark jobs: the advertising
// pipeline of the Yahoo streaming benchmark for Apache Flink, in Java.
//
// It is embedded, without its tests, so that the one binary can build the jar
// on the machine where it is to run, for the version of Flink found there. The
// jar then is a product of Maven with pinned versions, not a file that someone
// has to be trusted for.
package jobs

import (
	"embed"
	"io/fs"
)

//go:embed pom.xml src/main
var source embed.FS

// MainClass is the class that Flink runs.
const MainClass = "rebound.jobs.ads.AdsJob"

// Source returns the Maven project: pom.xml and src/main. Built with the
// profile flink-2.3 or flink-1.20, it leaves target/rebound-jobs-PROFILE.jar.
func Source() fs.FS { return source }

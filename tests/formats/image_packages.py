#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""image_packages.py IMAGE_COPY FOLDER WINGBEAT: images that mrcfile, tifffile, Pillow, OpenCV,
astropy and fitsio write are read, and those that we write are valid for them, number by number; so
are starfile's tables of particles. An empty name of the program leaves those out.

Uses the packages of FOLDER/environment, a virtual environment that it makes. Exit code 77 where the
packages cannot be installed.
"""

import io
import json
import subprocess
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import environment  # noqa: E402

environment.enter(sys.argv[2], ["numpy", "mrcfile", "tifffile", "imagecodecs", "Pillow", "astropy",
                                "fitsio", "opencv-python-headless", "pandas", "starfile"])

import cv2  # noqa: E402
import fitsio  # noqa: E402
import mrcfile  # noqa: E402
import numpy as np  # noqa: E402
import pandas  # noqa: E402
import starfile  # noqa: E402
import tifffile  # noqa: E402
from astropy.io import fits  # noqa: E402
from PIL import Image, ImageOps  # noqa: E402
from checks import check, end  # noqa: E402

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
warnings.simplefilter("ignore")  # of NaN in MRC, which we mean


def copy(source, target, *options):
    """Returns the three pixel sizes; nothing may be on stderr."""
    run = subprocess.run([PROGRAM, source, target, *options], capture_output=True, text=True)
    check(run.returncode == 0 and run.stderr == "", f"{source} to {target}: {run.stderr.strip()}")
    return [float(word) for word in run.stdout.split()] if run.returncode == 0 else None


def refusal(source):
    """What is said of a file that is not read."""
    return subprocess.run([PROGRAM, source, FOLDER / "read.npy"], capture_output=True,
                          text=True).stderr


def same(actual, expected):
    return actual.shape == expected.shape and np.array_equal(actual, expected, equal_nan=True)


def check_read(path, expected, label):
    """What we read of a file, handed on as .npy, is `expected`."""
    target = FOLDER / "read.npy"
    pixel = copy(path, target)
    if pixel is not None:
        check(same(np.load(target), expected.astype(np.float32)), f"{label}: other numbers")
    return pixel


def noise(shape, kind, seed=1):
    generator = np.random.default_rng(seed)
    if np.dtype(kind).kind == "f":
        values = generator.normal(size=shape).astype(kind)
        values.flat[0] = np.nan
        return values
    limits = np.iinfo(kind)
    # float32, in which the comparison is made, holds these.
    return generator.integers(max(limits.min, -2**23), min(limits.max, 2**23), size=shape,
                              endpoint=True).astype(kind)


def smooth(shape):
    """Colours that JPEG changes little."""
    y, x = np.mgrid[:shape[0], :shape[1]]
    grey = 2 * y + x
    return np.stack([grey, 200 - grey, x], -1).astype("u1") if len(shape) > 2 else grey.astype("u1")


def check_near(path, expected, label, distance):
    """What we read of a file is `expected` but for what JPEG changes."""
    target = FOLDER / "read.npy"
    if copy(path, target) is None:
        return
    actual = np.load(target)
    expected = expected[None] if expected.ndim == 3 else expected
    check(actual.shape == expected.shape and np.abs(actual - expected).max() <= distance,
          f"{label}: other numbers")


def check_jpeg():
    path = FOLDER / "in.jpg"
    for shape in ((40, 24), (40, 24, 3)):
        image = Image.fromarray(smooth(shape))
        for options in ({}, {"progressive": True}, {"subsampling": 0}, {"optimize": True}):
            image.save(path, quality=95, **options)
            check_near(path, np.asarray(Image.open(path)), f"Pillow JPEG {shape} {options}", 1)
        for orientation in range(1, 9):
            exif = Image.Exif()
            exif[0x112] = orientation
            image.save(path, quality=95, exif=exif)
            upright = np.asarray(ImageOps.exif_transpose(Image.open(path)))
            check_near(path, upright, f"JPEG of orientation {orientation}", 1)
        cv2.imwrite(str(path), smooth(shape)[..., ::-1] if len(shape) == 3 else smooth(shape))
        check_near(path, np.asarray(Image.open(path)), f"OpenCV JPEG {shape}", 1)
        np.save(FOLDER / "in.npy", smooth(shape)[None] if len(shape) == 3 else smooth(shape))
        copy(FOLDER / "in.npy", path, "range=0:255")
        with Image.open(path) as written:
            distance = np.abs(np.asarray(written).astype(int) - smooth(shape)).max()
            check(written.format == "JPEG" and distance <= 6, f"written JPEG {shape} {distance}")
    Image.new("CMYK", (8, 8)).save(path)
    check("is a JPEG of 4 colours" in refusal(path), "JPEG of CMYK: " + refusal(path))
    cv2.imwrite(str(FOLDER / "in.png"), noise((9, 8), "u2"))
    check_read(FOLDER / "in.png", noise((9, 8), "u2"), "OpenCV PNG of 16 bits")
    cv2.imwrite(str(FOLDER / "in.tif"), noise((9, 8), "f4"))
    check_read(FOLDER / "in.tif", noise((9, 8), "f4"), "OpenCV TIFF")


def check_fits():
    path = FOLDER / "in.fits"
    for kind in ("u1", "i1", "i2", "u2", "i4", "f4", "f8"):
        for shape in ((30, 40), (3, 30, 40), (2, 1, 30, 40)):
            values = noise(shape, kind)
            expected = values.reshape(-1, 30, 40) if len(shape) > 2 else values
            fits.writeto(path, values, overwrite=True)
            check_read(path, expected, f"astropy {kind} {shape}")
            fitsio.write(path, values, clobber=True)
            check_read(path, expected, f"fitsio {kind} {shape}")
    whole = noise((30, 40), "i2")
    for compression in ("RICE_1", "GZIP_1", "GZIP_2", "HCOMPRESS_1", "PLIO_1"):
        values = (whole > 0).astype("i2") if compression == "PLIO_1" else whole
        fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(values, compression_type=compression)]
                     ).writeto(path, overwrite=True)
        check_read(path, values, f"astropy {compression}")
    fitsio.write(path, noise((30, 40), "i4"), compress="rice", clobber=True)
    check_read(path, noise((30, 40), "i4"), "fitsio rice")
    image = fits.PrimaryHDU(whole)
    image.header["BLANK"] = int(whole[3, 4])
    image.writeto(path, overwrite=True)
    expected = whole.astype("f4")
    expected[whole == whole[3, 4]] = np.nan
    check_read(path, expected, "astropy BLANK")
    fits.writeto(FOLDER / "in.fits.gz", whole, overwrite=True)
    check_read(FOLDER / "in.fits.gz", whole, "astropy gzip")
    table = fits.BinTableHDU.from_columns([fits.Column("x", "E", array=[1, 2])])
    table.writeto(path, overwrite=True)
    check("without an image of two axes" in refusal(path), "FITS table: " + refusal(path))
    source = FOLDER / "in.npy"
    for shape in ((5, 7), (3, 5, 7)):
        np.save(source, noise(shape, "f4"))
        copy(source, path)
        with fits.open(path) as file:
            file.verify("exception")
            check(same(file[0].data.astype("f4"), noise(shape, "f4")), f"written FITS {shape}")
    image = fits.PrimaryHDU(noise((5, 7), "f4"))
    image.header.update({"BUNIT": "Jy/beam", "CRPIX1": 3.5, "CTYPE1": "RA---SIN", "CDELT1": -1e-3,
                         "OBJECT": "J1939"})
    image.writeto(FOLDER / "placed.fits", overwrite=True)
    copy(FOLDER / "placed.fits", path)
    with fits.open(path) as file:
        for key in ("BUNIT", "CRPIX1", "CTYPE1", "CDELT1", "OBJECT"):
            check(file[0].header.get(key) == image.header[key], f"{key} is lost")


def check_mrc_read():
    path = FOLDER / "in.mrc"
    for kind in ("i1", "i2", "u2", "f4", "f2"):
        for shape in ((5, 7), (1, 5, 7), (3, 5, 7)):
            values = noise(shape, kind)
            with mrcfile.new(path, overwrite=True) as mrc:
                mrc.set_data(values)
                mrc.voxel_size = (1.5, 2.5, 3.5)
                if values.ndim == 3:
                    mrc.set_image_stack() if shape[0] == 3 else mrc.set_volume()
            expected = values.reshape(shape[-2:]) if shape[0] in (1, 5) else values
            pixel = check_read(path, expected, f"mrcfile {kind} {shape}")
            check(pixel is not None and np.allclose(pixel[1:], [2.5, 1.5]), f"pixel size {shape}")
    numbers = (noise((5, 7), "f4") + 1j * noise((5, 7), "f4", seed=2)).astype("c8")
    with mrcfile.new(path, overwrite=True) as mrc:
        mrc.set_data(numbers)
    check_read(path, np.stack([numbers.real, numbers.imag], -1)[None], "mrcfile complex")
    with mrcfile.new(FOLDER / "in.mrc.gz", compression="gzip", overwrite=True) as mrc:
        mrc.set_data(noise((3, 50, 70), "i2"))
    check_read(FOLDER / "in.mrc.gz", noise((3, 50, 70), "i2"), "mrcfile gzip")
    values = noise((4, 6, 5), "i2")
    with mrcfile.new(path, overwrite=True) as mrc:
        mrc.set_data(values.astype(values.dtype.newbyteorder(">")))
        mrc.set_extended_header(np.frombuffer(b"x" * 160, dtype="V160"))
    check_read(path, values, "mrcfile, extended header")


def check_mrc_written():
    source, path = FOLDER / "in.npy", FOLDER / "out.mrc"
    for shape in ((5, 7), (3, 5, 7), (64, 64)):
        for options, kind in (((), "f4"), (("half",), "f2")):
            values = noise(shape, "f4")
            values.flat[0] = 3
            np.save(source, values)
            copy(source, path, *options)
            report = io.StringIO()
            check(mrcfile.validate(path, print_file=report), f"{shape} {kind}: {report.getvalue()}")
            with mrcfile.open(path) as mrc:
                check(mrc.data.dtype == np.dtype(kind), f"mode {mrc.header.mode} for {kind}")
                check(same(mrc.data, values.astype(kind)), f"written MRC {shape} {kind}")
    with mrcfile.new(FOLDER / "sized.mrc", overwrite=True) as mrc:
        mrc.set_data(noise((4, 6), "f4"))
        mrc.voxel_size = 1.25
    copy(FOLDER / "sized.mrc", path)
    with mrcfile.open(path) as mrc:
        check(abs(float(mrc.voxel_size.x) - 1.25) < 1e-6, "the voxel size is lost")
        check(mrc.header.rms < 0, "statistics of NaN")


def check_tiff_read():
    path = FOLDER / "in.tif"
    for kind in ("u1", "i1", "u2", "i2", "u4", "i4", "f2", "f4", "f8"):
        for order in "<>":
            for options in ({}, {"tile": (16, 32)}, {"rowsperstrip": 3}, {"bigtiff": True}):
                values = noise((37, 41), kind)
                tifffile.imwrite(path, values, byteorder=order, **options)
                check_read(path, values, f"tifffile {kind} {order} {options}")
        stack = noise((3, 9, 8), kind)
        tifffile.imwrite(path, stack, photometric="minisblack")
        check_read(path, stack, f"tifffile pages {kind}")
    for kind in ("u1", "u2"):
        tifffile.imwrite(path, noise((37, 41), kind), photometric="miniswhite")
        check_read(path, tifffile.imread(path), f"tifffile, 0 is white, {kind}")
    for compression in ("zstd", "lzma", "lzw", "zlib", "packbits"):
        for kind in ("u1", "u2", "f4"):
            for predictor in (False, compression != "packbits" and 2 + (kind == "f4")):
                values = noise((37, 41), kind)
                tifffile.imwrite(path, values, compression=compression, predictor=predictor)
                check_read(path, values, f"tifffile {compression} {kind} {predictor}")
    for kind in ("c8", "c16"):
        parts = noise((9, 8, 2), "f4")
        tifffile.imwrite(path, (parts[..., 0] + 1j * parts[..., 1]).astype(kind))
        numbers = tifffile.imread(path)
        check_read(path, np.stack([numbers.real, numbers.imag], -1)[None], f"tifffile {kind}")
    for shape in ((64, 48), (64, 48, 3)):
        tifffile.imwrite(path, smooth(shape), compression="jpeg", photometric="rgb"
                         if len(shape) == 3 else "minisblack", rowsperstrip=16)
        check_near(path, smooth(shape), f"tifffile JPEG {shape}", 6)
    tifffile.imwrite(path, noise((16, 16), "u1"), compression="jpegxl")
    check("compressed by TIFF's method" in refusal(path), "JPEG XL in TIFF: " + refusal(path))
    for planes, shape in (("contig", (20, 17, 3)), ("separate", (3, 20, 17))):
        for options in ({}, {"tile": (16, 16)}):
            for kind in ("u1", "u2", "f4"):
                values = noise(shape, kind)
                tifffile.imwrite(path, values, photometric="rgb", planarconfig=planes, **options)
                pixels = np.moveaxis(values, 0, 2) if planes == "separate" else values
                check_read(path, pixels[None], f"tifffile RGB {planes} {kind} {options}")


def check_tiff_resolution():
    path = FOLDER / "in.tif"
    tifffile.imwrite(path, noise((6, 6), "f4"), resolution=(1e8 / 1.5, 1e8 / 2.5), resolutionunit=3)
    pixel = copy(path, FOLDER / "out.tif")
    check(pixel is not None and np.allclose(pixel[1:], [2.5, 1.5]), f"pixel size {pixel}")
    check(np.allclose(copy(FOLDER / "out.tif", FOLDER / "again.tif"), pixel), "kept pixel size")


def check_tiff_written():
    source, path = FOLDER / "in.npy", FOLDER / "out.tif"
    for shape in ((5, 7), (1, 1), (3, 5, 7), (1, 5, 7, 2), (1, 5, 7, 3), (2, 5, 7, 4)):
        values = noise(shape, "f4")
        np.save(source, values)
        copy(source, path)
        with tifffile.TiffFile(path) as tif:
            pages = [page.asarray() for page in tif.pages]
        expected = values if len(shape) > 2 else values[None]
        check(same(np.stack(pages), expected), f"written TIFF {shape}")
    for kind, bits in (("u1", 8), ("u2", 16)):
        values = noise((2, 5, 7), kind)
        np.save(source, values)
        copy(source, path, f"bits={bits}", f"range=0:{2**bits - 1}")
        check(same(tifffile.imread(path), values), f"written TIFF of {bits} bits")
    np.save(source, noise((2, 5, 7), "f4"))
    copy(source, path)
    with Image.open(path) as image:
        image.seek(1)
        check(image.n_frames == 2 and same(np.asarray(image), np.load(source)[1]), "Pillow's pages")


def check_pillow():
    byte = noise((19, 23), "u1")
    images = {"L": byte, "LA": noise((19, 23, 2), "u1"), "RGB": noise((19, 23, 3), "u1"),
              "RGBA": noise((19, 23, 4), "u1")}
    for mode, values in images.items():
        expected = values[None] if values.ndim == 3 else values
        for options in ({}, {"optimize": True}):
            Image.fromarray(values, mode).save(FOLDER / "in.png", **options)
            check_read(FOLDER / "in.png", expected, f"Pillow PNG {mode}")
        for compression in ("raw", "tiff_lzw", "tiff_deflate", "tiff_adobe_deflate", "packbits"):
            Image.fromarray(values, mode).save(FOLDER / "in.tif", compression=compression)
            check_read(FOLDER / "in.tif", expected, f"Pillow TIFF {mode} {compression}")
    wide = noise((19, 23), "u2")
    Image.fromarray(wide).save(FOLDER / "in.png")
    check_read(FOLDER / "in.png", wide, "Pillow PNG of 16 bits")
    bits = noise((19, 23), "u1") > 127
    Image.fromarray(bits).save(FOLDER / "in.png")
    check_read(FOLDER / "in.png", bits, "Pillow PNG of 1 bit")
    Image.fromarray(bits).save(FOLDER / "in.tif")
    check_read(FOLDER / "in.tif", bits, "Pillow TIFF of 1 bit")
    palette = Image.fromarray(byte % 16).convert("P", palette=Image.Palette.ADAPTIVE)
    colours = np.asarray(palette.convert("RGB"))[None]
    palette.save(FOLDER / "in.png")
    check_read(FOLDER / "in.png", colours, "Pillow PNG of a palette")
    palette.save(FOLDER / "in.tif")
    copy(FOLDER / "in.tif", FOLDER / "read.npy")
    check(same(np.load(FOLDER / "read.npy") // 256, colours.astype(np.float32)),
          "Pillow TIFF of a palette")


def check_png_written():
    source, path = FOLDER / "in.npy", FOLDER / "out.png"
    for shape in ((11, 13), (1, 11, 13, 2), (1, 11, 13, 3), (1, 11, 13, 4)):
        values = noise(shape, "u1")
        np.save(source, values)
        copy(source, path, "range=0:255")
        with Image.open(path) as image:
            check(same(np.asarray(image), values.reshape(shape[-3:] if len(shape) > 2 else shape)),
                  f"written PNG {shape}")
    wide = noise((11, 13), "u2")
    np.save(source, wide)
    copy(source, path, "bits=16", "range=0:65535")
    with Image.open(path) as image:
        check(same(np.asarray(image).astype("u2"), wide), "written PNG of 16 bits")
    np.save(source, np.array([[1.0, 2.0], [np.nan, 3.0]]))
    copy(source, path)
    with Image.open(path) as image:
        check(np.asarray(image).tolist() == [[0, 128], [0, 255]], "scaled from least to largest")


def check_star():
    """Peaks that starfile reads, and writes as RELION 3.0 and 3.1 have them, are all expected."""
    program = sys.argv[3]
    if not program:
        return
    image, template = np.zeros((60, 70)), np.zeros((9, 8))
    template[4, 4], template[3, 5], template[4, 5] = 3, 1, 2
    for y, x in ((20, 15), (40, 50), (31, 33)):
        image[y - 4:y + 5, x - 4:x + 4] = template
    np.save(FOLDER / "m 1.npy", image)
    np.save(FOLDER / "t.npy", template)

    def match(*options):
        run = subprocess.run([program, "match", "m 1.npy", "t.npy", "--normalised", "--top", "3",
                              "--engine", "host", *options], capture_output=True, text=True,
                             cwd=FOLDER)
        check(run.returncode == 0, run.stderr)
        return run.stdout

    match("--star", "found.star")
    found = starfile.read(FOLDER / "found.star")
    check(sorted(zip(found.rlnCoordinateX.round(), found.rlnCoordinateY.round()))
          == [(15, 20), (33, 31), (50, 40)] and set(found.rlnMicrographName) == {"m 1.npy"},
          f"written STAR: {found}")
    optics = pandas.DataFrame({"rlnOpticsGroupName": ["o 1"], "rlnOpticsGroup": [1]})
    other = found.assign(rlnMicrographName="other.mrc", rlnCoordinateX=1.5)
    for tables in (found, {"optics": optics, "particles": pandas.concat([other, found])}):
        starfile.write(tables, FOLDER / "known.star", overwrite=True)
        document = json.loads(match("--json", "--expected", "known.star") or "{}")
        expected = document.get("expected", {})
        check(expected.get("recall") == 1 and len(expected["places"]) == 3 and
              expected["mean_distance"] < 1e-3, f"starfile's table: {expected}")


for part in (check_star, check_mrc_read, check_mrc_written, check_tiff_read, check_tiff_resolution,
             check_tiff_written, check_pillow, check_png_written, check_jpeg, check_fits):
    part()
end()
